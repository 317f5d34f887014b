import type { Capabilities } from './api/capabilities.ts';
import type { CloseOptions } from './api/options.ts';
import type { Health, Inspection } from './api/reports.ts';
import type { LockError } from './errors.ts';
import type { LockEvent, LockEventType } from './events.ts';
import type { Instant, Runtime } from './runtime.ts';

/** The environment that a backend is opened with. One runtime per `Locks`: times of two runtimes are never compared. */
export interface Host {
  /** Clocks, timers and random source: a backend uses no others. */
  readonly runtime: Runtime;
  /** Names the holder, for people: at most 64 UTF-8 bytes, `host:pid` by default. */
  readonly label: string;
  /** Reports an event to the listeners. Never throws. */
  emit(event: LockEvent): void;
  /** False if events of this type have no listener, so that none need be made. Absent: they may have one. Replace it with `emit`. */
  hears?(type: LockEventType): boolean;
}

/** Opens a backend. A file with your own lock exports one, too. */
export type OpenBackend<Options> = (options: Options, host: Host) => Promise<Backend>;

/** One locking algorithm over one kind of store. */
export interface Backend {
  /** The name in errors and events. */
  readonly name: string;
  /** What it promises; constant. */
  readonly capabilities: Capabilities;
  /**
   * Creates a contender for `key`; sends nothing yet. `ttlMs` is absent on session backends, where it is an option of
   * opening.
   */
  contend(request: ContendRequest): Contender;
  /**
   * Creates a contender that gets all `keys` in one step, or none; sends nothing yet. Its grant has `parts`, and its `busy`
   * says which key is taken. Absent, or undefined for keys that no one step can reach: core takes one key after the other.
   * Both ways exclude each other, and exclude `contend`.
   */
  contendAll?(request: ContendAllRequest): Contender | undefined;
  /**
   * Creates a contender for an exported lease: an attempt succeeds only while the store has exactly the exported hold, or
   * an earlier attempt of this contender. It replaces that by its own, with a full ttl and a new token. A free key is not
   * taken: the attempt is `refused`, with `adoptionError`. An attempt in doubt is undone by `withdraw`, not before: a retry
   * must find it. With the mode `shared` the new hold is a shared one: so a writer becomes a reader. Absent if no other
   * process can take over a lease.
   */
  adopt?(request: AdoptRequest): Contender;
  /** Reads what is stored under `key`: for people, never for decisions. Rejects with a LockError, as `forceRelease` does. */
  inspect?(key: string): Promise<Inspection>;
  /** Removes the hold of any client on `key`; the old holder learns of it at its next renewal or by push. */
  forceRelease?(key: string): Promise<Release>;
  /** Asks every node whether it serves. A node that is down is in the result, and does not make this reject. */
  health?(): Promise<Health>;
  /**
   * Lists the keys that are held now, or may be: for people, never for decisions. Each page comes as soon as the store has
   * sent it; a key may be on two. Rejects with a LockError.
   */
  heldKeys?(): AsyncIterable<readonly string[]>;
  /**
   * `false`: the store never drops a lock to free memory. A text, for people: why it may, or why that is not known. Absent:
   * the backend cannot tell. For `require: ['no-eviction']`, once the backend is open.
   */
  readonly evicts?: string | false | undefined;
  /** What the store says about itself. Without it the backend has no fencing epoch, and cannot be moved to or from. */
  readonly marks?: Marks | undefined;
  /** Ends background retries and connections; settles within `timeoutMs`. */
  close(options?: BackendCloseOptions): Promise<void>;
}

/**
 * Small values about the store itself, beside its locks. Each is written once and never changes; a read shows every write
 * that was confirmed before it. Calls settle by `deadlineMs`, a monotonic time, and reject with a LockError: a
 * BackendUnavailableError if no reply came. A write that was rejected may have happened.
 */
export interface Marks {
  /** Returns the value; undefined if the mark was never written. `name` is of letters, digits and `-`. */
  read(name: string, deadlineMs: number): Promise<string | undefined>;
  /** Writes the mark unless it exists; returns the value that is stored then. */
  write(name: string, value: string, deadlineMs: number): Promise<string>;
}

/**
 * How a contender wants to hold its key, other than exclusively. `shared`: beside other shared holds, and never beside an
 * exclusive one. `exclusive`: alone, with a place in the line in which shared contenders wait, too. `permits`: beside other
 * holds, as long as all together have at most `of` permits; if clients differ in `of`, the smallest among the holders counts.
 * All three wait in order of arrival: none is granted before one that came earlier and that it would delay.
 */
export type HoldMode =
  | { readonly kind: 'shared' }
  | { readonly kind: 'exclusive' }
  | { readonly kind: 'permits'; readonly permits: number; readonly of: number };

/** One caller that tries to get one key. */
export interface ContendRequest {
  /** The key as the caller wrote it; the backend adds its own prefix. */
  readonly key: string;
  /** Random, unguessable, fresh for every contender; contains no `:`. */
  readonly contender: string;
  /** How long the store keeps the key without a renewal, in whole ms. Absent on session backends. */
  readonly ttlMs?: number;
  /** Absent: exclusively, and without a place in a line of readers. Core sends only modes of `Capabilities.modes`. */
  readonly mode?: HoldMode | undefined;
}

/** One caller that tries to get several keys at once. */
export interface ContendAllRequest {
  /** At least two, without duplicates, sorted by code unit. */
  readonly keys: readonly string[];
  /** As in {@link ContendRequest}: one for all keys. */
  readonly contender: string;
  /** As in {@link ContendRequest}: one for all keys. */
  readonly ttlMs?: number;
}

/** One caller that tries to take over an exported lease. */
export interface AdoptRequest extends ContendRequest {
  /** The value that `Grant.export` returned. */
  readonly exported: string;
}

/** Options with which `Locks.close` closes its backend. */
export interface BackendCloseOptions extends CloseOptions {
  /**
   * True if some holds are still in use: they must be left in the store to expire. On session backends the session must
   * be left to expire, too, since its end frees all its keys at once.
   */
  readonly leavesHolds?: boolean | undefined;
}

/**
 * Keeps its place in the queue of the store, if it has one, so that a further attempt never loses it. A grant ends its
 * contender.
 */
export interface Contender {
  /**
   * Makes one attempt. `deadlineMs` is monotonic; the backend shortens it to its own call deadline, never lengthens
   * it, and settles by then.
   */
  attempt(deadlineMs: number): Promise<Attempt>;
  /**
   * Resolves when the state of the key may have changed. Level-triggered: resolves at once if a notification came since
   * the latest attempt started. The start of the subscription counts as one. On abort it resolves, never rejects. One
   * signal may be passed to several calls, one after the other; it has aborted by the end of the wait.
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
      /** The key that is taken, of a contender for several. */
      readonly key?: string | undefined;
      readonly holderRemainingMs?: number | undefined;
      /** Latest time of the next attempt. */
      readonly retryAfterMs?: number | undefined;
      /** Earliest time of the next attempt; a wake-up may not shorten it. */
      readonly notBeforeMs?: number | undefined;
    }
  | { readonly kind: 'unknown'; readonly cause: unknown }
  | { readonly kind: 'unavailable'; readonly cause: unknown }
  | { readonly kind: 'refused'; readonly error: LockError };

/**
 * `untilMs`: time for which a hold of this contender may stay in the store; an estimate, Infinity while a session
 * lives.
 */
export type Withdrawal =
  | { readonly kind: 'clean' }
  | { readonly kind: 'unknown'; readonly untilMs: number };

/** The right that a backend gives to a contender that won; the lease wraps it. */
export interface Grant {
  /** The owner value that is stored. */
  readonly owner: string;
  /** Larger than every earlier token of the key. Absent if the backend has none. */
  readonly fencingToken?: bigint | undefined;
  /** The ttl, or the negotiated session timeout. */
  readonly leaseMs: number;
  /** How long the holder may believe in it; a renewal returns a new one. */
  readonly validity: Validity;
  /** The grant of each key, of a contender for several; `release` then releases all. */
  readonly parts?: ReadonlyMap<string, Grant> | undefined;
  /** Absent for a fixed lease. */
  renew?(ttlMs: number): Promise<Renewal>;
  /** Can affect only this hold, however late it is applied. Only the backend retries a release of unknown outcome. */
  release(): Promise<Release>;
  /**
   * Releases the key by the next attempt for it, which follows in this turn: nobody else gets the key in between. Alone, if
   * none follows. Absent if the backend cannot.
   */
  releaseToNext?(): Promise<Release>;
  /**
   * Ends this grant without a release: it requests nothing more. Returns the value by which `Backend.adopt` recognises
   * its hold. Absent if `Backend.adopt` is, and for shared holds and permits.
   */
  export?(): string;
  /**
   * Calls `listener` when the backend reports the loss, at once if it already has. Returns the removal of the listener.
   */
  onLost?(listener: () => void): () => void;
}

/** The span in which a holder may believe that it holds. It is over when `elapsedMs(from) ≥ ms`. */
export interface Validity {
  /** Send time of the request, never the arrival of the reply. */
  readonly from: Instant;
  /** Its length in ms: the ttl without the margin for clocks that drift. */
  readonly ms: number;
}

/** The outcome of a renewal. `unknown` neither ends nor extends the lease. */
export type Renewal =
  | { readonly kind: 'renewed'; readonly validity: Validity }
  | { readonly kind: 'lost' }
  | { readonly kind: 'unknown'; readonly cause: unknown };

/** The outcome of a release. `not-held`: the hold was over before. `unknown`: the store did not reply. */
export type Release =
  | { readonly kind: 'released' }
  | { readonly kind: 'not-held' }
  | { readonly kind: 'unknown'; readonly cause: unknown };
