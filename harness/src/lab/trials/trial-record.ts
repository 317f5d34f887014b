import type { FaultId, HistoryEvent } from '@holdfast/core';
import type { Sample } from '../../plant/index.ts';

/** One strike, as it is to be played. */
export interface Trial {
  readonly fault: FaultId;
  readonly key: string;
  readonly ttlMs: number;
  /** The how many-th strike of its cell. */
  readonly n: number;
  /** Hears what is done to whom, when it is. */
  readonly onInject: (told: string) => void;
}

/** What one client's probe saw; times are relative to the strike. */
export interface ProbeRecord {
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
  /** When what it struck went on; undefined where nothing does: it is dead, or a clock that jumped. */
  readonly recoveredMs?: number | undefined;
  readonly untilMs: number;
  /** Of the shared key. */
  readonly history: readonly HistoryEvent[];
  /** Of the clients that nothing struck. */
  readonly healthy: readonly ProbeRecord[];
  /** Who held when the fault struck. */
  readonly victim: string;
  /** Whom the fault struck, be it on its ways alone; none where it struck servers, or the ways of all. */
  readonly faulted: readonly string[];
  /** Whether leases are renewed; else they end by themselves. */
  readonly renews: boolean;
  /** Whether somebody was to take over from it. */
  readonly expectsHandover: boolean;
  /** Whether somebody waited who was not told: that it is served is what counts. */
  readonly missedNotification?: boolean | undefined;
  /** What was done, for people. */
  readonly told: string;
}
