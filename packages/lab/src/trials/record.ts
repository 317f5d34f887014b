import type { FaultId, HistoryEvent } from '@holdfast/core';
import type { Sample } from '../clients/messages.ts';

/** What one client's probe saw; times are relative to the strike. */
export interface Probed {
  readonly client: string;
  readonly samples: readonly Sample[];
}

/** Everything that is known of one strike; times are in ms, by the host's monotonic clock, and 0 is the strike. */
export interface TrialRecord {
  readonly fault: FaultId;
  /** When all were at work. */
  readonly fromMs: number;
  /** When the fault was over, or had been answered by whoever was to. */
  readonly healedMs: number;
  readonly untilMs: number;
  /** Of the shared key. */
  readonly history: readonly HistoryEvent[];
  /** Of the clients that nothing struck. */
  readonly healthy: readonly Probed[];
  /** Who held when the fault struck. */
  readonly victim: string;
  /** What was done, for people. */
  readonly told: string;
}
