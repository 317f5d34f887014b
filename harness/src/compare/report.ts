import type { FaultId } from '@holdfast/core/backend';
import type { Updates } from '../check/updates.ts';
import type { Column, OutcomeId } from '../draw/index.ts';

/**
 * The report of `holdfast compare`, as it is written to `report.json`; described in docs/reference/report-format.md.
 * Later versions add fields, runs, rows, columns and metrics under one `version`; they rename none.
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
  /** For a merged campaign: the number of shards, and the missing ones; absent otherwise. */
  readonly shards?: { readonly of: number; readonly missing: readonly number[] };
  readonly runs: readonly ComparedRun[];
}

/** `as-expected` exits 0, the others 1. */
export type ReportVerdict = 'as-expected' | 'unexpected' | 'proved-nothing';

/** The source of a figure: virtual time or a real clock. */
export type How = 'simulated' | 'measured';

/** One fault, or one variant of it. */
export interface ReportRow {
  readonly fault: FaultId;
  /** The circumstances, if a fault has several rows. */
  readonly variant?: string;
}

/** One pass over faults and columns against one kind of server. */
export interface ComparedRun {
  readonly servers: 'embedded' | 'local' | 'own';
  readonly how: How;
  /** The environment: simulator, server and client versions, machine. */
  readonly by: string;
  readonly settings: Readonly<Record<string, number>>;
  /** Rows and columns, in order. */
  readonly rows: readonly ReportRow[];
  readonly columns: readonly Column[];
  readonly safety: readonly Cell[];
  readonly cost: readonly Figure[];
  /** The parts that this run does not compare, and why; absent if it is complete. */
  readonly notes?: readonly string[];
  /** True if there are enough schedules for a table of rates; absent otherwise. */
  readonly counts?: boolean;
  readonly tookMs: number;
}

/** The outcome of one fault on one column. */
export interface Cell extends ReportRow {
  readonly column: string;
  readonly how: How;
  /** The outcome of the lock itself. */
  readonly outcome: OutcomeId;
  /** The outcome of a resource that compares fencing tokens. */
  readonly fenced: FencedOutcome;
  /** null: there is no expectation. */
  readonly expected: { readonly outcome: OutcomeId; readonly fenced: FencedOutcome } | null;
  readonly unexpected: boolean;
  /** The reason why it was not tested, or proved nothing. */
  readonly reason?: string;
  /** null if the fault was not tested. */
  readonly evidence: Evidence | null;
  /** Names of the minimal stories of what breaks here, for `holdfast replay`; absent if there are none. */
  readonly stories?: readonly string[];
}

export type FencedOutcome = Extract<OutcomeId, 'holds' | 'breaks' | 'n/a'>;

/** The evidence for the outcome of a cell. */
export interface Evidence {
  /** Schedules in the simulator, repetitions on real servers. */
  readonly trials: number;
  /** Trials in which the fault took effect while one client held and another waited. */
  readonly effective: number;
  /** The requested updates of all trials, and those that the resource that accepts every write accepted. */
  readonly asked: number;
  readonly sent: number;
  /** Trials in which two valid leases, or two believing holders, overlapped. null: there are no leases. */
  readonly validityViolated: number | null;
  readonly beliefViolated: number | null;
  /** Trials in which an update was lost, at a resource that accepts every write, and at one that compares tokens. null: there are no tokens. */
  readonly unfencedViolated: number;
  readonly fencedViolated: number | null;
  /** Trials that did not end: a client waited forever, or left something behind. */
  readonly stuck: number;
  /** The counts of updates; null in the simulator, which counts trials. */
  readonly unfenced: CountedUpdates | null;
  readonly fenced: CountedUpdates | null;
  /** One sentence on the first violation, if there is one. */
  readonly example?: string;
  /** The replay string of the violation, for `holdfast replay`. */
  readonly replay?: string;
  /** The reason why a history could not be judged, if there is one. */
  readonly flaw?: string;
}

/** The updates that were sent to a resource, by outcome, without the count of stale ones. */
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
  /** null if there is none; then `reason` says why. */
  readonly value: number | null;
  readonly how: How;
  /** The environment of the measurement. */
  readonly by: string;
  /** The number of samples that it sums up. */
  readonly samples: number;
  readonly reason?: string;
}
