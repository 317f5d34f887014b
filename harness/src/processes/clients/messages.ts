import type { Release } from '@holdfast/core';

/** How a client process opens its locks: a configuration, as a service has it. The backend `no-lock` is the control. */
export interface Opening {
  readonly backend: string;
  readonly [option: string]: unknown;
}

/** The same where only the process itself can read it: a configuration file may hold what cannot be sent. */
export interface NamedOpening {
  readonly backend?: undefined;
  /** A URL, or the path of a configuration file. */
  readonly source: string;
  /** Put over what stands there, for example a namespace of our own. */
  readonly override: Readonly<Record<string, string | number>>;
}

/** What the clients of one process do in one trial: take the key, read, think, look whether they still hold, write. */
export interface Work {
  /** What all processes contend for. */
  readonly key: string;
  /** How many clients, numbered behind the name of the process; without, the process is one client. */
  readonly clients?: number;
  /** How often each goes through it; whoever is not told goes on until the trial is over. What fails ends it. */
  readonly rounds?: number;
  /** In its first section the first client says `inside`, and stays there until told to proceed. */
  readonly lingers: boolean;
  /** Whether it goes for the key only when told to proceed: one who comes when the fault has struck, and has not been told that the key is taken. */
  readonly joinsLate?: boolean;
  /** Whether it leaves when it hears that its lease is over, and looks at it once more before it writes; without, its last look was before. */
  readonly looksAgain?: boolean;
  /** How long it asks for nothing after the section in which it lingered. */
  readonly restMs?: number;
  readonly thinkMs: number;
  /** Whoever is not served within this is told so, and asks again. */
  readonly waitMs: number;
}

/** A key of its own, taken and given back all the time: whether the service is there for it. */
export interface Probing {
  readonly probeKey: string;
  readonly probeEveryMs: number;
  readonly probeWaitMs: number;
}

/** What locks cost: how long each of `rounds` acquisitions took, in ms; or how many `waiters` made within `spanMs`. */
export type Cost =
  | { readonly kind: 'uncontended'; readonly key: string; readonly rounds: number }
  | {
      readonly kind: 'contended';
      readonly key: string;
      readonly waiters: number;
      readonly spanMs: number;
    };

/** `locks` names what was opened, where there are several. */
export type Task = { readonly locks?: string } & (
  | { readonly kind: 'open'; readonly opening: Opening | NamedOpening }
  /** Answered when it has begun; it goes on until `finish`. */
  | { readonly kind: 'begin'; readonly work: Work & Probing }
  /** Comes to an end, closes what was opened, and answers with what the probe saw. */
  | { readonly kind: 'finish' }
  /** Answered when all rounds are done. */
  | { readonly kind: 'work'; readonly work: Work }
  | Cost
);

export type ToClient =
  | { readonly kind: 'task'; readonly id: number; readonly task: Task }
  /** Who lingers at this key, or at any, leaves. */
  | { readonly kind: 'proceed'; readonly key?: string | undefined }
  | { readonly kind: 'block'; readonly ms: number };

/**
 * One acquisition of the probe: since when it was wanted, and how long it took to be granted, however often it was asked
 * for; or when it was asked for, and how long that took to fail.
 */
export interface Sample {
  readonly atMs: number;
  readonly tookMs: number;
  /** Whether it was granted; else `why` is the code of the error, or `withdrawn` when time was up. */
  readonly ok: boolean;
  readonly why?: string;
  /** What became of giving it back. */
  readonly released?: Release['kind'];
}

/** What comes of a task: of `finish` samples, of costs figures. */
export interface Found {
  readonly samples?: readonly Sample[];
  readonly figures?: readonly number[];
}

/** The lingering client is in its section; a client was told that the key is taken; one was granted it, or had it renewed; a probe was granted its own. */
export interface Sign {
  readonly kind: 'inside' | 'waiting' | 'granted' | 'renewed' | 'probed';
  readonly key: string;
}

export type FromClient =
  | { readonly kind: 'done'; readonly id: number; readonly found: Found }
  | { readonly kind: 'failed'; readonly id: number; readonly message: string }
  | Sign;
