import type { FaultId } from '@holdfast/core';
import type { Updates } from '../check/updates.ts';
import type { Column, OutcomeId } from '../draw/index.ts';

/**
 * What `holdfast compare` found out, as it is written to `report.json`; described in docs/reference/report-format.md.
 * Later versions add fields, runs, rows, columns and metrics under the same `version`; they rename none.
 */
export interface Report {
  readonly format: 'holdfast-compare';
  readonly version: 2;
  /** Version of the package that wrote it. */
  readonly holdfast: string;
  /** ISO 8601, by the wall clock of the machine that ran it. */
  readonly startedAt: string;
  readonly tookMs: number;
  readonly verdict: ReportVerdict;
  /** Of a campaign that machines shared: into how many shards, and which of them were not there; absent otherwise. */
  readonly shards?: { readonly of: number; readonly missing: readonly number[] };
  readonly runs: readonly Run[];
}

/** `as-expected` exits 0, the others 1. */
export type ReportVerdict = 'as-expected' | 'unexpected' | 'proved-nothing';

/** Whether a figure comes from virtual time or from a clock. */
export type How = 'simulated' | 'measured';

/** One fault, or one variant of it. */
export interface ReportRow {
  readonly fault: FaultId;
  /** Where a fault has several rows: under which circumstances. */
  readonly variant?: string;
}

/** One pass over faults and columns against one kind of server. */
export interface Run {
  readonly servers: 'embedded' | 'local' | 'own';
  readonly how: How;
  /** By whom and where: simulator, server and client versions, machine. */
  readonly by: string;
  readonly settings: Readonly<Record<string, number>>;
  /** Rows and columns, in order. */
  readonly rows: readonly ReportRow[];
  readonly columns: readonly Column[];
  readonly safety: readonly Cell[];
  readonly cost: readonly Figure[];
  /** What is not compared in this run, and why; absent where nothing is missing. */
  readonly notes?: readonly string[];
  /** Whether so many schedules were played that rates are worth a table; absent otherwise. */
  readonly counts?: boolean;
  readonly tookMs: number;
}

/** What became of one fault on one column. */
export interface Cell extends ReportRow {
  readonly column: string;
  readonly how: How;
  /** Of the lock itself. */
  readonly outcome: OutcomeId;
  /** Of a resource that compares fencing tokens. */
  readonly fenced: FencedOutcome;
  /** null: nobody has said what to expect. */
  readonly expected: { readonly outcome: OutcomeId; readonly fenced: FencedOutcome } | null;
  readonly unexpected: boolean;
  /** Why there is nothing to see, or why it proved nothing. */
  readonly reason?: string;
  /** null where the fault was not tried. */
  readonly evidence: Evidence | null;
  /** Names of the smallest stories of what breaks here, for `holdfast replay`; absent where there are none. */
  readonly stories?: readonly string[];
}

export type FencedOutcome = Extract<OutcomeId, 'holds' | 'breaks' | 'n/a'>;

/** What a cell's outcome rests on. */
export interface Evidence {
  /** Schedules in the simulator, repetitions on real servers. */
  readonly trials: number;
  /** Trials in which the fault took effect while one client held and another waited. */
  readonly effective: number;
  /** In all trials: how many updates were to be made, and how many were sent to the resource. */
  readonly asked: number;
  readonly sent: number;
  /** Trials in which two valid leases, or two believing holders, overlapped. null: there are no leases. */
  readonly validityViolated: number | null;
  readonly beliefViolated: number | null;
  /** Trials in which an update was lost, at a resource that takes every write, and at one that compares tokens. null: there are no tokens. */
  readonly unfencedViolated: number;
  readonly fencedViolated: number | null;
  /** Trials that did not come to their end, because somebody waited for ever, or left something behind. */
  readonly stuck: number;
  /** The updates themselves; null where they are not counted, as in the simulator. */
  readonly unfenced: CountedUpdates | null;
  readonly fenced: CountedUpdates | null;
  /** One sentence on the first violation, where there is one. */
  readonly example?: string;
  /** What plays it again, with `holdfast replay`. */
  readonly replay?: string;
  /** Why some history could not be judged, where that happened. */
  readonly flaw?: string;
}

/** What a resource did with the updates it was sent; stale ones are not told apart. */
export type CountedUpdates = Omit<Updates, 'stale'>;

export type MetricId =
  | 'acquire-round-trips'
  | 'release-round-trips'
  | 'acquire-p50-ms'
  | 'acquire-p99-ms'
  | 'contended-acquisitions-per-s'
  | 'takeover-ms';

/** One figure of the part Cost. */
export interface Figure {
  readonly metric: MetricId;
  readonly column: string;
  /** null where there is none; then `reason` says why. */
  readonly value: number | null;
  readonly how: How;
  /** By whom and where. */
  readonly by: string;
  /** How many single figures it sums up. */
  readonly samples: number;
  readonly reason?: string;
}
