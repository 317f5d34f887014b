/**
 * The promises of a backend. A change of the configured backend can never silently drop a promise that the code
 * requires.
 */
export interface Capabilities {
  /** `session`: one session holds all leases of a process, and its timeout is their ttl. */
  readonly lease: 'per-call-ttl' | 'session';
  /** The clock that decides when a lease expires. */
  readonly timeAuthority: 'server' | 'client' | 'leader' | 'process';
  /** `cp`: never two holders, at the price of availability. `ap`: the other way round. */
  readonly consistency: 'cp' | 'ap' | 'none';
  /** `strict`: tokens grow, whatever happens. `best-effort`: unless a fault takes the counter away. */
  readonly fencing: 'strict' | 'best-effort' | 'none';
  /** `fifo`: the store serves contenders in order of arrival. */
  readonly queue: 'fifo' | 'none';
  /** `push`: the store notifies waiters of a release. */
  readonly wakeUp: 'push' | 'poll';
  /** `shared`: readers and writers. `permits`: semaphores. Absent: every hold is exclusive. */
  readonly modes?: readonly ('shared' | 'permits')[] | undefined;
  /** Why it can have no such modes, for the error that refuses one: "its servers count apart". */
  readonly exclusiveSince?: string | undefined;
  /**
   * The ids of the faults under which no two of its leases are valid at once, or which cannot affect it, for
   * `require: [{ survives: id }]`. Those of the built-in backends are the matrix of the harness: docs/evidence/matrix.md.
   */
  readonly survives?: readonly string[] | undefined;
}

/** A promise that the caller's code relies on, checked when locks are opened. */
export type Requirement = NamedRequirement | SurvivalRequirement;

/**
 * A promise by its name. `fencing`: every lease has a token. `strict-fencing`: tokens grow, whatever happens. `per-call-ttl`:
 * calls may set `ttlMs`. `fifo`: the store serves waiters in order. `cp`: never two holders, at the price of availability.
 * `no-eviction`: the store says that it drops no lock to free memory. `shared`: it has readers and writers. `permits`: it
 * has semaphores.
 */
export type NamedRequirement =
  | 'fencing'
  | 'strict-fencing'
  | 'per-call-ttl'
  | 'fifo'
  | 'cp'
  | 'no-eviction'
  | 'shared'
  | 'permits';

/** Mutual exclusion under a fault, by its id: `{ survives: 'failover' }`. See docs/evidence/matrix.md for the ids. */
export interface SurvivalRequirement {
  /** The id of a fault, for example `failover`. */
  readonly survives: string;
}

/**
 * The type of `lease.fencingToken` under `require: R`. It is `bigint` only if an element of the tuple is certainly one
 * of the fencing requirements. An array whose content the compiler does not know promises nothing.
 */
export type TokenOf<R extends readonly Requirement[]> = R extends readonly [
  infer Head,
  ...infer Rest extends readonly Requirement[],
]
  ? [Head] extends ['fencing' | 'strict-fencing']
    ? bigint
    : TokenOf<Rest>
  : bigint | undefined;
