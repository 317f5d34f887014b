import type { Release } from '@holdfast/core';

/**
 * The configuration from which a client process opens its locks, as a service would. The backend `no-lock` is the
 * control.
 */
export interface Opening {
  readonly backend: string;
  readonly [option: string]: unknown;
}

/** A configuration that only the process itself can read: a configuration file may hold values that cannot be sent. */
export interface NamedOpening {
  readonly backend?: undefined;
  /** A URL, or the path of a configuration file. */
  readonly source: string;
  /** The name of a store, where that file has several. */
  readonly store?: string | undefined;
  /** Replaces values of the source, for example by a namespace for the lab. */
  readonly override: Readonly<Record<string, string | number>>;
}

/** The work of a process's clients in one trial: acquire the key, read, think, check the lease, write. */
export interface ContentionWork {
  /** The key that all processes contend for. */
  readonly key: string;
  /** Number of clients, numbered behind the name of the process; if absent, the process is one client. */
  readonly clients?: number;
  /** Rounds of each client; if absent, clients continue until the trial ends, and failures do not end them. */
  readonly rounds?: number;
  /** In its first section the first client reports `inside`, and stays there until `proceed`. */
  readonly lingers: boolean;
  /**
   * True if the client requests the key only after `proceed`: a client that arrives after the fault, and has not learnt
   * that the key is taken.
   */
  readonly joinsLate?: boolean;
  /**
   * True if the client leaves when its lease is lost, and checks the lease once more before it writes; otherwise its
   * last check was earlier.
   */
  readonly rechecksLease?: boolean;
  /** Pause without requests after the section in which it lingered. */
  readonly restMs?: number;
  readonly thinkMs: number;
  /** A client that is not served within this time gets an error, and requests again. */
  readonly waitMs: number;
}

/** A key of its own, acquired and released in a loop: shows if the service is available. */
export interface Probing {
  readonly probeKey: string;
  readonly probeEveryMs: number;
  readonly probeWaitMs: number;
}

/**
 * The cost of locks: how long each of `rounds` acquisitions took, in ms; or how many `waiters` made within `spanMs`.
 */
export type Cost =
  | { readonly kind: 'uncontended'; readonly key: string; readonly rounds: number }
  | {
      readonly kind: 'contended';
      readonly key: string;
      readonly waiters: number;
      readonly spanMs: number;
    };

/** `locks` names the locks, if several were opened. */
export type Task = { readonly locks?: string } & (
  | { readonly kind: 'open'; readonly opening: Opening | NamedOpening }
  /** The reply follows once it has begun; it runs until `finish`. */
  | { readonly kind: 'begin'; readonly work: ContentionWork & Probing }
  /** Ends the work, closes the locks, and replies with the probe's samples. */
  | { readonly kind: 'finish' }
  /** The reply follows once all rounds are done. */
  | { readonly kind: 'work'; readonly work: ContentionWork }
  | Cost
);

export type ToClient =
  | { readonly kind: 'task'; readonly id: number; readonly task: Task }
  /** Clients that linger at this key, or at any, leave. */
  | { readonly kind: 'proceed'; readonly key?: string | undefined }
  | { readonly kind: 'block'; readonly ms: number };

/**
 * One acquisition of the probe. If granted: the time since which it was wanted, and the time until the grant, over all
 * requests. If not: the time of the request, and the time until it failed.
 */
export interface Sample {
  readonly atMs: number;
  readonly tookMs: number;
  /** True if granted; otherwise `why` is the error's code, or `withdrawn` at the end of the trial. */
  readonly ok: boolean;
  readonly why?: string;
  /** The outcome of its release. */
  readonly released?: Release['kind'];
}

/** The result of a task: samples of `finish`, figures of costs. */
export interface TaskResult {
  readonly samples?: readonly Sample[];
  readonly figures?: readonly number[];
}

/**
 * A client's report: it is in its section and lingers; it found the key taken; it was granted the key, or its lease was
 * renewed; the probe was granted its own key.
 */
export interface ClientReport {
  readonly kind: 'inside' | 'waiting' | 'granted' | 'renewed' | 'probed';
  readonly key: string;
}

export type FromClient =
  | { readonly kind: 'done'; readonly id: number; readonly found: TaskResult }
  | { readonly kind: 'failed'; readonly id: number; readonly message: string }
  | ClientReport;
