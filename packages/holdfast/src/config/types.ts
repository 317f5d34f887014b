import type { Requirement } from '@holdfast/core';

/** What every configuration may say, whatever the backend. */
export interface LockDefaults {
  /** For editors; ignored. */
  readonly $schema?: string | undefined;
  /** Crash-to-takeover time in integer ms, 100 to 86 400 000; default 30 000. */
  readonly ttlMs?: number | undefined;
  /** How long a caller waits for a lock, in ms; default 10 000. Infinity only from JavaScript: JSON has none. */
  readonly waitMs?: number | undefined;
  /** false: leases are never renewed and end after `ttlMs`. Default true, where the backend can renew. */
  readonly renew?: boolean | undefined;
  /** A lease ends after this many ms however often it is renewed. Default: no cap. */
  readonly maxHoldMs?: number | undefined;
  /** Promises the code relies on; opening fails when the backend does not make one of them. */
  readonly require?: readonly Requirement[] | undefined;
}

/** Names the backend that it is for. */
export interface NamedConfig extends LockDefaults {
  readonly backend: string;
}

/** A backend from a package, or from a file (a name that starts with `.` or `/`); its other options are its own. */
export interface ImportedConfig extends NamedConfig {
  readonly [option: string]: unknown;
}
