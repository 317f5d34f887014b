/** Something that one server had, under the key that was asked for. */
export interface StoredSpan {
  /** On the judge's clock: from when, and until when, unless something else was written there before. */
  readonly fromMs: number;
  readonly toMs: number;
  /** Until when the server would have kept it, if nothing more had been done. */
  readonly untilMs: number;
}

/** What one attempt came to, as the backend told the wait that made it. */
export interface AttemptRecord {
  /** On the judge's clock. */
  readonly fromMs: number;
  readonly toMs: number;
  readonly kind: 'granted' | 'busy' | 'unknown' | 'unavailable' | 'refused' | 'threw';
  /** It had at least the time that one call may take, so that silence says something of the servers. */
  readonly isWhole: boolean;
}

/** On the judge's clock. */
export interface WithdrawalRecord {
  readonly atMs: number;
  readonly kind: 'clean' | 'unknown';
}

/** How an acquisition that came to nothing went, and what the servers had meanwhile; known in the simulator alone. */
export interface RefusalRecord {
  /** As in the history. */
  readonly hold: string;
  /** In order; none where it never had its turn in its own process. */
  readonly attempts: readonly AttemptRecord[];
  /** What its backend said in the end, and when, of what it might leave behind; absent where it was not asked. */
  readonly withdrawn?: WithdrawalRecord;
  /** For how long the holder's lease would last yet, as it was told. */
  readonly leftMs?: number;
  /** Whether all that its client had sent since it began to wait had been answered; absent where nobody knows. */
  readonly isAnswered?: boolean;
  /** Whether an answer is about a queue: what stood before it may have been seen at any time since it came. */
  readonly isQueue: boolean;
  /** What it wrote and may not be granted any more, and what stood there of everybody else. */
  readonly own: readonly StoredSpan[];
  readonly others: readonly StoredSpan[];
}
