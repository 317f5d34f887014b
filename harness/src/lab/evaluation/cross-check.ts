import type { FaultId } from '@holdfast/core/backend';

/** A story of the simulator, shown beside a cell of the laboratory. */
export interface SimulatedStory {
  /** The name for `holdfast replay`. */
  readonly name: string;
  /** True if it was found on another lock and is run on this one, as with `--on all`. */
  readonly ofAnother: boolean;
  /** The story as an SVG picture. */
  readonly drawing: string;
}

/** The verdicts of the simulator and of the laboratory, side by side. */
export interface CrossCheck {
  /** `explained`: the matrix gives the reason of every difference. Only `unexplained` is a failure. */
  readonly verdict: 'same' | 'explained' | 'unexplained';
  readonly cells: readonly CrossCheckCell[];
  /** The differences that the matrix states for cells that were run. */
  readonly known: readonly KnownDifference[];
  /** The report of the simulator, as docs/reference/report-format.md describes it. */
  readonly simulator: object;
}

/** One fault on one column of the laboratory. */
export interface CrossCheckCell {
  readonly fault: FaultId;
  /** The simulator's row that it is compared with, if the fault has several. */
  readonly variant?: string | undefined;
  readonly column: string;
  /** The properties that both judged. */
  readonly claims: readonly CrossCheckClaim[];
}

/** One property, and how often each of the two saw it violated. */
export interface CrossCheckClaim {
  readonly claim: 'validity' | 'belief' | 'resource';
  /** Of schedules; of 0 if the fault cannot matter to the lock and was not run. */
  readonly simulator: ViolationCount;
  /** Of trials. */
  readonly laboratory: ViolationCount;
  /** The only one of the two that saw it violated; null if they agree. */
  readonly onlySeenBy: 'simulator' | 'laboratory' | null;
  /** True if the matrix says why they differ. */
  readonly isKnown: boolean;
}

export interface ViolationCount {
  readonly hits: number;
  readonly of: number;
}

/** An entry of the matrix: the cells in which the two differ, why, and a story that shows it. */
export interface KnownDifference {
  readonly cells: readonly string[];
  readonly onlySeenBy: 'simulator' | 'laboratory';
  readonly why: string;
  /** The name of a story, for `holdfast replay`. */
  readonly replay: string;
  /** True if they differed there in this run; a difference that depends on chance need not show. */
  readonly occurred: boolean;
}
