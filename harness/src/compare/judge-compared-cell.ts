import type { OutcomeId } from '../draw/index.ts';
import { isControl } from '../locks/index.ts';
import { type CellContext, type Expectation, expectationOf } from './expectation.ts';
import type {
  Cell,
  ComparedRun,
  Evidence,
  FencedOutcome,
  Report,
  ReportVerdict,
} from './report.ts';

export type { CellContext } from './expectation.ts';

/** The minimum share of trials in which the fault takes effect while one client holds and another waits. */
const EFFECTIVE_SHARE_MIN = 0.2;
/** The bounds of a cell; beyond them it proves nothing. */
export interface CellBounds {
  /** The minimum share of accepted updates: a lock that accepts almost none also loses none. */
  readonly accepted: number;
  /** The maximum share of trials that do not end. */
  readonly stuck: number;
  /** Rare states that some trial has to reach, and none did. */
  readonly unreached?: readonly string[];
  /** The violation of a property that the lock keeps under every fault, in one sentence. */
  readonly alwaysBroken?: string;
}

const BOUNDS: CellBounds = { accepted: 0.5, stuck: 0 };

/** The cell of a test, judged by its evidence. */
export function judgeComparedCell(
  place: CellContext,
  evidence: Evidence,
  bounds: CellBounds = BOUNDS,
): Cell {
  const doubt = provesNothing(place, evidence, bounds);
  const outcome = doubt === undefined ? outcomeOf(evidence) : 'nothing';
  const { alwaysBroken } = bounds;
  const judged = cell(place, outcome, fencedOutcome(evidence), evidence, doubt);
  if (alwaysBroken === undefined) return judged;
  // A cell that is already unexpected keeps its own, worse reason.
  if (judged.unexpected)
    return doubt === undefined ? judged : { ...judged, reason: `${doubt}; ${alwaysBroken}` };
  return { ...judged, unexpected: true, reason: alwaysBroken };
}

/** The cell of a fault that cannot matter there; undefined if it has to be tested. */
export function inapplicableCell(place: CellContext): Cell | undefined {
  const expected = expectationOf(place);
  if (expected?.outcome !== 'inert' && expected?.outcome !== 'n/a') return undefined;
  return cell(place, expected.outcome, 'n/a', null, expected.reason);
}

/** The cell of a fault that could not be run. */
export function failedComparedCell(place: CellContext, why: string): Cell {
  return cell(place, 'nothing', 'n/a', null, why);
}

function cell(
  { how, column, fault, variant }: CellContext,
  outcome: OutcomeId,
  fenced: FencedOutcome,
  evidence: Evidence | null,
  reason: string | undefined,
): Cell {
  const row = variant === undefined ? { fault } : { fault, variant };
  const expected = expectedOf(expectationOf({ how, column, ...row }));
  return {
    ...row,
    column,
    how,
    outcome,
    fenced,
    expected,
    unexpected: !isExpected(outcome, fenced, expected),
    ...(reason === undefined ? {} : { reason }),
    evidence,
  };
}

function expectedOf(expectation: Expectation | undefined): Cell['expected'] {
  if (expectation === undefined) return null;
  return { outcome: expectation.outcome, fenced: expectation.fenced };
}

/** Without an expectation a lock must still not break, and the cell must prove something. */
function isExpected(
  outcome: OutcomeId,
  fenced: FencedOutcome,
  expected: Cell['expected'],
): boolean {
  if (expected !== null) return expected.outcome === outcome && expected.fenced === fenced;
  return outcome !== 'breaks' && outcome !== 'nothing' && fenced !== 'breaks';
}

function outcomeOf({ validityViolated, beliefViolated, unfencedViolated }: Evidence): OutcomeId {
  if (validityViolated === null) return 'breaks';
  if (validityViolated > 0) return 'breaks';
  if (beliefViolated !== null && beliefViolated > 0) return 'late';
  // An update is lost although no holder was late, so the lock did not exclude.
  return unfencedViolated > 0 ? 'breaks' : 'holds';
}

function fencedOutcome({ fencedViolated }: Evidence): FencedOutcome {
  if (fencedViolated === null) return 'n/a';
  return fencedViolated > 0 ? 'breaks' : 'holds';
}

/** The reason why a cell proves nothing, even without violations. */
function provesNothing(
  { column }: CellContext,
  {
    trials,
    effective,
    asked: requested,
    sent,
    unfencedViolated,
    stuck,
    flaw,
    example = '',
  }: Evidence,
  { accepted, stuck: stuckMax, unreached = [] }: CellBounds,
): string | undefined {
  if (flaw !== undefined) return `a history could not be judged: ${flaw}`;
  if (isControl(column)) {
    return unfencedViolated > 0 ? undefined : 'without a lock nothing was lost either';
  }
  if (effective < trials * EFFECTIVE_SHARE_MIN || effective === 0) {
    return `the fault took effect in only ${effective} of ${trials} trials`;
  }
  if (sent === 0 || sent < requested * accepted) {
    return `only ${sent} of ${requested} updates were accepted`;
  }
  if (stuck > trials * stuckMax) return `${stuck} of ${trials} trials did not end: ${example}`;
  if (unreached.length > 0) return `in none of ${trials} trials ${unreached.join(', and ')}`;
  return undefined;
}

/** The verdict of a report. A control that lost nothing decides it, because there is nothing to compare with. */
export function reportVerdict(runs: readonly ComparedRun[]): ReportVerdict {
  const cells = runs.flatMap((run) => run.safety);
  if (cells.some((each) => isControl(each.column) && each.outcome === 'nothing')) {
    return 'proved-nothing';
  }
  return cells.some((each) => each.unexpected) ? 'unexpected' : 'as-expected';
}

/** 0 if everything is as expected. */
export function comparisonExitCode(report: Report): 0 | 1 {
  return report.verdict === 'as-expected' ? 0 : 1;
}
