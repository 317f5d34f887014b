import type { LockError } from './errors.ts';
import type { LockEvent } from './events.ts';
import type { Instant, Runtime } from './runtime.ts';

/** What a backend is opened with. One runtime per `Locks`: times of two runtimes are never compared. */
export interface Host {
  readonly runtime: Runtime;
  /** Who holds, for people: at most 64 UTF-8 bytes, `host:pid` by default. */
  readonly label: string;
  emit(event: LockEvent): void;
}

/** How every backend is opened; also what a file with a lock of one's own exports. */
export type OpenBackend<Options> = (options: Options, host: Host) => Promise<Backend>;

/** One locking algorithm over one kind of store. */
export interface Backend {
  readonly name: string;
  readonly capabilities: Capabilities;
  /** A contender for `key`; sends nothing yet. `ttlMs` is absent on session backends, where it is an option of opening. */
  contend(request: ContendRequest): Contender;
  /** What the store shows about `key`: for people, never for decisions. */
  inspect?(key: string): Promise<Inspection>;
  /** Removes the hold on `key`, whoever holds it; the old holder learns of it at its next renewal or by push. */
  forceRelease?(key: string): Promise<Release>;
  health?(): Promise<Health>;
  /** Ends background retries and connections; settles within `timeoutMs`. */
  close(options?: BackendCloseOptions): Promise<void>;
}

export interface ContendRequest {
  readonly key: string;
  /** Random, unguessable, fresh for every contender; contains no `:`. */
  readonly contender: string;
  readonly ttlMs?: number;
}

export interface CloseOptions {
  /** How long the whole of it may take, in ms; default 5 000. */
  readonly timeoutMs?: number | undefined;
}

/** How `Locks.close` closes its backend. */
export interface BackendCloseOptions extends CloseOptions {
  /**
   * Some holds are still relied on: what stands in the store is left to expire. On session backends the session must be
   * left to expire, too, since to end it frees all its keys at once.
   */
  readonly leavesHolds?: boolean | undefined;
}

/** What `Locks.close` came to. */
export interface CloseReport {
  /** Leases that were not released in time. Their keys stay taken until they expire. */
  readonly stillHeld: readonly StillHeld[];
}

/** A lease that outlives its `Locks`. */
export interface StillHeld {
  readonly key: string;
  readonly contender: string;
  /** How much longer the lease is valid. The store keeps the key a little longer, on session backends for up to one session timeout. */
  readonly remainingMs: number;
}

/** Holds a place in whatever queue the store has, so that trying again never loses it. A grant ends its contender. */
export interface Contender {
  /**
   * Tries once. `deadlineMs` is monotonic; the backend shortens it to its own call deadline, never lengthens it,
   * and settles by then.
   */
  attempt(deadlineMs: number): Promise<Attempt>;
  /**
   * Level-triggered: resolves at once if anything happened since the latest attempt started; the subscription
   * becoming live counts as something. Resolves, never rejects, on abort. One signal may be given to several calls,
   * one after the other; it has aborted by the end of the wait.
   */
  changed?(signal: AbortSignal): Promise<void>;
  /** Leaves the queue and undoes doubtful attempts; never concurrent with `attempt`. */
  withdraw(): Promise<Withdrawal>;
}

/** The outcome of one attempt. `refused` is permanent, for example a foreign value under the key. */
export type Attempt =
  | { readonly kind: 'granted'; readonly grant: Grant }
  | {
      readonly kind: 'busy';
      readonly holderRemainingMs?: number | undefined;
      /** When to try again at the latest. */
      readonly retryAfterMs?: number | undefined;
      /** When to try again at the earliest; a wake-up may not cut it. */
      readonly notBeforeMs?: number | undefined;
    }
  | { readonly kind: 'unknown'; readonly cause: unknown }
  | { readonly kind: 'unavailable'; readonly cause: unknown }
  | { readonly kind: 'refused'; readonly error: LockError };

/** `untilMs`: how much longer something of this contender may stand in the store; an estimate, Infinity while a session lives. */
export type Withdrawal =
  | { readonly kind: 'clean' }
  | { readonly kind: 'unknown'; readonly untilMs: number };

/** What a backend hands a contender that won; the lease wraps it. */
export interface Grant {
  /** The owner value that stands in the store. */
  readonly owner: string;
  readonly fencingToken?: bigint | undefined;
  /** The ttl, or the negotiated session timeout. */
  readonly leaseMs: number;
  readonly validity: Validity;
  /** Absent: a fixed lease. */
  renew?(ttlMs: number): Promise<Renewal>;
  /** Can touch only this very hold, however late it lands. The backend alone retries a doubtful release. */
  release(): Promise<Release>;
  /** Pushed loss; a listener added after the loss is called at once. Returns its removal. */
  onLost?(listener: () => void): () => void;
}

/** The span in which a holder may believe that it holds: over when `elapsedMs(from) ≥ ms`. */
export interface Validity {
  /** When the request left, never when the reply came. */
  readonly from: Instant;
  readonly ms: number;
}

export type Renewal =
  | { readonly kind: 'renewed'; readonly validity: Validity }
  | { readonly kind: 'lost' }
  | { readonly kind: 'unknown'; readonly cause: unknown };

export type Release =
  | { readonly kind: 'released' }
  | { readonly kind: 'not-held' }
  | { readonly kind: 'unknown'; readonly cause: unknown };

/** What a backend promises, so that a swap by config can never silently drop a promise the code relies on. */
export interface Capabilities {
  readonly lease: 'per-call-ttl' | 'session';
  /** Whose clock decides that a lease is over. */
  readonly timeAuthority: 'server' | 'client' | 'leader' | 'process';
  readonly consistency: 'cp' | 'ap' | 'none';
  readonly fencing: 'strict' | 'best-effort' | 'none';
  readonly queue: 'fifo' | 'none';
  readonly wakeUp: 'push' | 'poll';
}

/** What a store shows about a key. Old when it is read; decide nothing by it. */
export interface Inspection {
  readonly key: string;
  readonly held: boolean;
  /** The owner value as it stands in the store. */
  readonly owner?: string | undefined;
  /** The holder's label, for people. */
  readonly holder?: string | undefined;
  readonly remainingMs?: number | undefined;
  readonly fencingToken?: bigint | undefined;
  readonly waiters?: number | undefined;
}

export interface Health {
  readonly ok: boolean;
  readonly nodes: readonly NodeHealth[];
}

export interface NodeHealth {
  /** The node's address, without credentials. */
  readonly node: string;
  readonly ok: boolean;
  readonly roundTripMs?: number | undefined;
  readonly detail?: string | undefined;
}
