import type { FaultId } from '@holdfast/core/backend';
import type { Column, OutcomeId } from '../../draw/index.ts';
import type { Interval } from '../trials/statistics.ts';
import type { UnservedSpan } from '../trials/unserved-span.ts';
import type { CrossCheck, SimulatedStory } from './cross-check.ts';

/** The results of the laboratory, as written to `report.json`; docs/testing/lab.md describes it. */
export interface LabReport {
  readonly format: 'holdfast-lab';
  readonly version: 2;
  readonly holdfast: string;
  /** ISO 8601, by the wall clock of the machine that ran it. */
  readonly startedAt: string;
  readonly tookMs: number;
  /** True if it was ended before all cells were run. */
  readonly partial: boolean;
  readonly verdict: 'as-expected' | 'unexpected' | 'proved-nothing';
  /** Exact versions of servers, Node and the machine. */
  readonly by: readonly string[];
  readonly command: string;
  readonly settings: {
    readonly ttlMs: number;
    readonly trials: number;
    readonly clients: number;
    /** Absent in older reports. */
    readonly servers?: readonly StartedWith[] | undefined;
  };
  readonly rows: readonly FaultId[];
  readonly columns: readonly Column[];
  readonly cells: readonly LabCell[];
  /** The measurements with other ttls, if requested. */
  readonly dial: readonly TtlPoint[];
  /** Sentences on what was not tested, and why. */
  readonly notes: readonly string[];
  /** The comparison with the simulator, if requested. */
  readonly both?: CrossCheck | undefined;
}

/** One command and configuration with which servers were started. */
export interface StartedWith {
  readonly server: string;
  /** The columns that used it. */
  readonly columns: readonly string[];
  /** DIR and PORT replace what differs from server to server. */
  readonly command: string;
  /** The lines of its configuration file. */
  readonly config: readonly string[];
}

/** The result of one fault on one column. */
export interface LabCell {
  readonly fault: FaultId;
  /** The variant of the fault, if the matrix has several; absent in older reports. */
  readonly variant?: string | undefined;
  readonly column: string;
  readonly outcome: OutcomeId;
  /** The result for a resource that compares fencing tokens. */
  readonly fenced: 'holds' | 'breaks' | 'n/a';
  /** The expectation of the matrix; null if it states none. */
  readonly expected: { readonly outcome: OutcomeId; readonly fenced: string } | null;
  readonly unexpected: boolean;
  /** The reason why it proved nothing, or could not be run. */
  readonly reason?: string | undefined;
  /** null if it was not run. */
  readonly figures: CellFigures | null;
  /** The worst trial, as a picture. */
  readonly timeline?: string | undefined;
  /** The same fault in the simulator; absent if it has no story. */
  readonly story?: SimulatedStory | undefined;
}

/** The measurements with one ttl: safety and handover time. */
export interface TtlPoint {
  readonly column: string;
  readonly ttlMs: number;
  /** Trials in which two clients held at once, of those in which a server died. */
  readonly broken: Rate;
  /** From the crash of a holder to the next grant. */
  readonly handoverMs: Spread;
}

/** A rate, with its sample size and interval. */
export interface Rate {
  readonly hits: number;
  readonly of: number;
  /** 95 %, Wilson. */
  readonly interval: Interval;
}

export interface Spread {
  readonly samples: number;
  /** The number that had not ended when the trial did; they rank as the longest. */
  readonly unended: number;
  /** null if it is one that did not end, or if there are no samples. */
  readonly median: number | null;
  readonly p95: number | null;
  readonly max: number | null;
  /**
   * The interval of the median at 95 %. Null for fewer than six samples; absent if samples depend on each other. A null bound
   * is longer than the trial.
   */
  readonly interval?: { readonly low: number | null; readonly high: number | null } | null;
}

export interface CellFigures {
  readonly trials: number;
  readonly effective: number;
  /** The injected faults, in words. */
  readonly description: string;
  /** Trials in which two valid leases overlapped. */
  readonly validity: Rate;
  /** Trials in which two critical sections overlapped. */
  readonly belief: Rate;
  /** Trials in which an update was lost, at a resource that accepts every write. */
  readonly unfenced: Rate;
  /** Trials in which a resource that compares tokens lost an update or accepted a late one, or tokens did not grow. */
  readonly fenced: Rate | null;
  readonly updates: { readonly accepted: number; readonly lost: number };
  readonly fencedUpdates: {
    readonly accepted: number;
    readonly refused: number;
    readonly lost: number;
    /** Accepted after a write with a larger token. */
    readonly stale: number;
  } | null;
  /** Acquisitions and releases of unknown outcome, of all. */
  readonly indeterminate: Rate;
  /**
   * From the fault to the next grant of the key to another client; under `lost-wakeup` to the waiter that was not
   * notified.
   */
  readonly handoverMs: Spread;
  /** The longest time without service of each healthy client. */
  readonly unavailableMs: Spread;
  /** The longest time without service of the worst healthy client of each trial. */
  readonly outageMs?: Spread;
  /** Trials in which a client that no fault hit lost its lease before another was granted the key. */
  readonly falseLosses?: Rate;
  /** The number of these leases. */
  readonly givenUp: number;
  readonly phases: Readonly<Record<'before' | 'during' | 'after', Phase>>;
  /** The trial with the median outage, for the chart of the service over time. Times are relative to the fault. */
  readonly availability: {
    /** The longest time without service of the worst client; up to the end of the trial if it was not served again. */
    readonly outageMs: number;
    readonly points: readonly { readonly atMs: number; readonly tookMs: number }[];
    /** The span of that time; absent without healthy clients. Older versions did not write the fields from here on. */
    readonly silence?: UnservedSpan | undefined;
    readonly fromMs?: number;
    /** The end of the fault. */
    readonly healedMs?: number;
    readonly untilMs?: number;
    /** The number of grants to healthy clients in each step; one step begins with the fault. */
    readonly rate?: {
      readonly fromMs: number;
      readonly stepMs: number;
      readonly granted: readonly number[];
    };
  };
  /** One sentence on the worst violation. */
  readonly example?: string | undefined;
}

/** The figures of all probes in one part of a trial. */
export interface Phase {
  readonly perS: number | null;
  readonly p50Ms: number | null;
  readonly p99Ms: number | null;
}
