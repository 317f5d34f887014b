/** The stored state of a key. It is out of date when it is read; decide nothing by it. */
export interface Inspection {
  /** The key that was read. */
  readonly key: string;
  /** True if some client holds it. */
  readonly held: boolean;
  /** The stored owner value. */
  readonly owner?: string | undefined;
  /** The holder's label, for people. */
  readonly holder?: string | undefined;
  /** Time in ms after which the hold expires, unless it is renewed. */
  readonly remainingMs?: number | undefined;
  /** The token of the hold. */
  readonly fencingToken?: bigint | undefined;
  /** The fencing epoch of the store, which is in its tokens. */
  readonly fencingEpoch?: number | undefined;
  /** The number of contenders that wait in the store. */
  readonly waiters?: number | undefined;
}

/** The reply of a store to `Locks.health`. */
export interface Health {
  /** True if enough nodes serve to lock. */
  readonly ok: boolean;
  /** One entry for each node. */
  readonly nodes: readonly NodeHealth[];
}

/** The health of one node of a store. */
export interface NodeHealth {
  /** The node's address, without credentials. */
  readonly node: string;
  /** True if it serves. */
  readonly ok: boolean;
  /** The time that its reply took, in ms. */
  readonly roundTripMs?: number | undefined;
  /** The reason why it does not serve, for people. */
  readonly detail?: string | undefined;
}

/** The result of `Locks.close`. */
export interface CloseReport {
  /** Leases that were not released in time. Their keys stay taken until they expire. */
  readonly stillHeld: readonly StillHeld[];
}

/** A lease that outlives its `Locks`. */
export interface StillHeld {
  /** The key that stays taken. */
  readonly key: string;
  /** The contender id of the lease, as in its events. */
  readonly contender: string;
  /** Remaining validity. The store keeps the key a little longer, on session backends for up to one session timeout. */
  readonly remainingMs: number;
}
