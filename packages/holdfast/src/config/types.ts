import type { Requirement } from '@holdfast/core';
import type { Config } from '../backends/built-in.ts';

/** The options of every configuration, for any backend. */
export interface LockDefaults {
  /** For editors; ignored. */
  readonly $schema?: string | undefined;
  /** Crash-to-takeover time in integer ms, 100 to 86 400 000; default 30 000. */
  readonly ttlMs?: number | undefined;
  /** Limit of the wait for a lock, in ms; default 10 000. Infinity only from JavaScript, since JSON has none. */
  readonly waitMs?: number | undefined;
  /** False: leases are never renewed and end after `ttlMs`. Default: true, if the backend can renew. */
  readonly renew?: boolean | undefined;
  /** A lease ends after this many ms, however often it is renewed. Default: no cap. */
  readonly maxHoldMs?: number | undefined;
  /** Promises that the code relies on; opening fails if the backend does not make one of them. */
  readonly require?: readonly Requirement[] | undefined;
  /**
   * `lazy`, the default: a store that is down can be opened, and `acquire` fails. `eager`: opening rejects with a
   * BackendUnavailableError unless the store serves.
   */
  readonly connect?: 'eager' | 'lazy' | undefined;
}

/** The option of backends with fencing tokens. */
export interface FencingOptions {
  /**
   * The fencing epoch of the store, 0 to 1 023; default 0. Tokens of a store with a higher epoch are larger than all of a
   * lower one. It is written into the store at first use, and a client with another one is refused.
   */
  readonly fencingEpoch?: number | undefined;
}

/** A configuration with the name of its backend. */
export interface NamedConfig extends LockDefaults {
  /** The name of a built-in backend, a package, or a file. */
  readonly backend: string;
}

/** A backend from a package, or from a file (its name starts with `.` or `/`). */
export interface ImportedConfig extends NamedConfig, FencingOptions {
  /** What the backend is opened with, beside `ttlMs`. It checks them itself. */
  readonly options?: Readonly<Record<string, unknown>> | undefined;
}

/** Several configurations by name; `openLocks(source, { store })` opens one of them. */
export interface Stores {
  /** For editors; ignored. */
  readonly $schema?: string | undefined;
  /** The configurations by name. */
  readonly stores: Readonly<Record<string, Config>>;
}
