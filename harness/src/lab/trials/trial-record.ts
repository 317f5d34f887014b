import type { FaultId, HistoryEvent } from '@holdfast/core/backend';
import type { Sample } from '../../real/index.ts';

export type JudgedBy = 'leases' | 'resource';

/** One trial, as it is to be run. */
export interface Trial {
  readonly fault: FaultId;
  readonly key: string;
  readonly ttlMs: number;
  /** The number of the trial in its cell, from 1. */
  readonly n: number;
  /** What judges it: leases, by the validity that they claim, or the order at the resource alone. */
  readonly judgedBy?: JudgedBy;
  /** Called with what is done, when the fault is injected. */
  readonly onInject: (description: string) => void;
}

/** The samples of one client's probe; times are relative to the fault. */
export interface ProbeRecord {
  readonly client: string;
  readonly samples: readonly Sample[];
}

/** The record of one trial. Times are in ms, by the host's monotonic clock, and 0 is the fault. */
export interface TrialRecord {
  readonly fault: FaultId;
  /** Absent: by leases. */
  readonly judgedBy?: JudgedBy | undefined;
  /** The time at which all clients were at work. */
  readonly fromMs: number;
  /** The end of the fault, or of the takeover. */
  readonly healedMs: number;
  /**
   * The time at which the affected parts recovered; undefined if they do not: a killed process, or a clock that jumped.
   */
  readonly recoveredMs?: number | undefined;
  readonly untilMs: number;
  /** The history of the shared key. */
  readonly history: readonly HistoryEvent[];
  /** The probes of the clients that no fault hit. */
  readonly healthy: readonly ProbeRecord[];
  /** The client that held when the fault was injected. */
  readonly victim: string;
  /** The clients that the fault hit, also on their links alone; none if it hit servers, or the links of all. */
  readonly faulted: readonly string[];
  /** The clients whose writes were held back on their way to the resource. */
  readonly heldBack?: readonly string[];
  /** True if leases are renewed; otherwise they expire by themselves. */
  readonly renews: boolean;
  /** True if another client was to take over. */
  readonly expectsHandover: boolean;
  /** True if a waiter missed its notification: what counts is that it is served. */
  readonly missedNotification?: boolean | undefined;
  /** The injected fault, in words. */
  readonly description: string;
}
