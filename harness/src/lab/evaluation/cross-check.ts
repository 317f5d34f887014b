import type { FaultId } from '@holdfast/core';

/** A story of the simulator, as a cell of the laboratory leads to it. */
export interface SimulatedStory {
  /** For `holdfast replay`. */
  readonly name: string;
  /** Whether it was found on another lock and is played on this one, as `--on all` does. */
  readonly ofAnother: boolean;
  /** As a picture. */
  readonly drawing: string;
}

/** The verdicts of the simulator and of the laboratory, side by side. */
export interface CrossCheck {
  /** `explained`: where they differ the matrix says why; only `unexplained` is a failure. */
  readonly verdict: 'same' | 'explained' | 'unexplained';
  readonly cells: readonly CrossCheckCell[];
  /** What the matrix says of differences in cells that were played. */
  readonly known: readonly KnownDifference[];
  /** The report of the simulator, as docs/reference/report-format.md describes it. */
  readonly simulator: object;
}

/** One fault on one column of the laboratory. */
export interface CrossCheckCell {
  readonly fault: FaultId;
  /** Which row of the simulator it is set beside, where the fault has several. */
  readonly variant?: string | undefined;
  readonly column: string;
  /** Those that both judged. */
  readonly claims: readonly CrossCheckClaim[];
}

/** One property, and in how much of what was played each of the two saw it violated. */
export interface CrossCheckClaim {
  readonly claim: 'validity' | 'belief' | 'resource';
  /** Schedules; of none where the fault cannot matter to the lock, which is why it was not played. */
  readonly simulator: ViolationCount;
  /** Strikes. */
  readonly laboratory: ViolationCount;
  /** Who alone saw it violated; null: they agree. */
  readonly onlySeenBy: 'simulator' | 'laboratory' | null;
  /** Whether the matrix says why they differ. */
  readonly isKnown: boolean;
}

export interface ViolationCount {
  readonly hits: number;
  readonly of: number;
}

/** An entry of the matrix: where the two differ, why, and what shows it. */
export interface KnownDifference {
  readonly cells: readonly string[];
  readonly onlySeenBy: 'simulator' | 'laboratory';
  readonly why: string;
  /** The name of a story, for `holdfast replay`. */
  readonly replay: string;
  /** Whether they differed there this time: what hangs on chance need not. */
  readonly occurred: boolean;
}
