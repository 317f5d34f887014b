/** A value that one server stored under the requested key. */
export interface StoredSpan {
  /** From when and until when, on the judge's clock; a later write ends it sooner. */
  readonly fromMs: number;
  readonly toMs: number;
  /** Until when the server would have kept it without a further command. */
  readonly untilMs: number;
}

/** The outcome of one attempt, as the backend reported it. */
export interface AttemptRecord {
  /** On the judge's clock. */
  readonly fromMs: number;
  readonly toMs: number;
  readonly kind: 'granted' | 'busy' | 'unknown' | 'unavailable' | 'refused' | 'threw';
  /** True if it had at least the full time of one call, so that a missing reply says something about the servers. */
  readonly isWhole: boolean;
}

/** On the judge's clock. */
export interface WithdrawalRecord {
  readonly atMs: number;
  readonly kind: 'clean' | 'unknown';
}

/** A failed acquisition: its attempts, and what the servers stored meanwhile; known only in the simulator. */
export interface RefusalRecord {
  /** As in the history. */
  readonly hold: string;
  /** In order; empty if it never had its turn in its own process. */
  readonly attempts: readonly AttemptRecord[];
  /** The final withdrawal: when, and if it may leave something behind; absent if none was requested. */
  readonly withdrawn?: WithdrawalRecord;
  /** The remaining time of the holder's lease, as reported to the client. */
  readonly leftMs?: number;
  /** True if all requests of its client since it began to wait had a reply; absent if that is not known. */
  readonly isAnswered?: boolean;
  /** True if a reply is about a queue: the clients ahead may have been seen at any time since it was queued. */
  readonly isQueue: boolean;
  /** Its own values, which it can no longer be granted, and the values of all other clients. */
  readonly own: readonly StoredSpan[];
  readonly others: readonly StoredSpan[];
}
