import type { Release } from '@holdfast/core';

/** How a client process opens its locks; plain data, so that it can be sent. */
export type Opening =
  | {
      readonly backend: 'redis-simple' | 'redis-getset';
      readonly url: string;
      /** For `rediss://`, and further down: options of `tls.connect`. */
      readonly tls?: object | undefined;
      readonly namespace: string;
      readonly ttlMs: number;
    }
  | {
      readonly backend: 'redlock';
      readonly urls: readonly string[];
      readonly tls?: object | undefined;
      readonly allowSmall?: boolean | undefined;
      readonly namespace: string;
      readonly ttlMs: number;
    }
  | {
      readonly backend: 'zk';
      /** `host:port` of each. */
      readonly servers: readonly string[];
      readonly chroot?: string | undefined;
      readonly auth?: { readonly user: string; readonly password: string } | undefined;
      readonly tls?: object | undefined;
      readonly namespace: string;
      readonly ttlMs: number;
    }
  /** The control. */
  | { readonly backend: 'no-lock' };

/** What one process does in one trial. */
export interface Work {
  /** What all processes contend for. */
  readonly key: string;
  /** In the first section it says `inside`, and stays there until told to proceed. */
  readonly lingers: boolean;
  /** Whether it goes for the key only when told to proceed: one who comes when the fault has struck, and has not been told that the key is taken. */
  readonly joinsLate: boolean;
  /** Whether it leaves when it hears that its lease is over, and looks at it once more before it writes; without, its last look was before. */
  readonly looksAgain: boolean;
  /** How long it asks for nothing after the section in which it lingered. */
  readonly restMs: number;
  readonly thinkMs: number;
  /** Whoever is not served within this is told so, and asks again. */
  readonly waitMs: number;
  /** A key of its own, taken and given back all the time: whether the service is there for it. */
  readonly probeKey: string;
  readonly probeEveryMs: number;
  readonly probeWaitMs: number;
}

export type Task =
  | { readonly kind: 'open'; readonly opening: Opening }
  | { readonly kind: 'begin'; readonly work: Work }
  /** Comes to an end, closes what was opened, and answers with what the probe saw. */
  | { readonly kind: 'finish' };

export type ToClient =
  | { readonly kind: 'task'; readonly id: number; readonly task: Task }
  | { readonly kind: 'proceed' }
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

export type FromClient =
  | { readonly kind: 'done'; readonly id: number; readonly samples: readonly Sample[] }
  | { readonly kind: 'failed'; readonly id: number; readonly message: string }
  /** The lingering client is in its section; a client was told that the key is taken; one was granted it, or had it renewed; a probe was granted its own. */
  | { readonly kind: 'inside' | 'waiting' | 'granted' | 'renewed' | 'probed' };
