import type { HistoryEvent } from '@holdfast/core';
import type { Line } from './write-log.ts';

/** What the clients of one run saw. */
export interface Report {
  readonly history: HistoryEvent[];
  /** How often `acquire` failed, by code. */
  readonly errors: Record<string, number>;
  readonly unhandled: string[];
  readonly ledger: Line[];
  readonly strange: string[];
}
