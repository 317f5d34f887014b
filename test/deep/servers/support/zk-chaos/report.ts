import type { HistoryEvent } from '@holdfast/core/backend';
import type { Line } from './write-log.ts';

/** The observations of the clients of one run. */
export interface Report {
  readonly history: HistoryEvent[];
  /** Counts of failed calls of `acquire`, by code. */
  readonly errors: Record<string, number>;
  readonly unhandled: string[];
  readonly ledger: Line[];
  readonly strange: string[];
}
