/** How one request for one item ended. */
export type PurchaseOutcome =
  /** An order was written. */
  | 'sold'
  /** The shop said that there was nothing left. */
  | 'refused'
  /** The shop said to try again later: a lock lost, a conflict, an error. */
  | 'failed'
  /** Its process died, and nobody answered. */
  | 'no-answer'
  /** It still waited when the sale was called off. */
  | 'stuck';

/** One time under a lock, on a clock that all processes share. */
export interface LockStay {
  readonly key: string;
  readonly fromMs: number;
  /** When it asked for release. */
  readonly untilMs: number;
  readonly released: 'released' | 'not-held' | 'unknown';
  /** Its release was on its way until somebody else had the key. */
  readonly overtaken?: true;
}

/** What the shop answers; plain data, so that it can come from another process. */
export interface PurchaseResult {
  readonly outcome: PurchaseOutcome;
  /** Of an order: which item it is of, by the stock that was seen. Two orders of one item are one too many. */
  readonly item?: string;
  /** How often the work was done for it; once where nothing is said. */
  readonly tries?: number;
  /** Why it failed. */
  readonly reason?: string;
  readonly stays: readonly LockStay[];
}
