import type { FaultId } from '@holdfast/core';
import { type Expectation, expectationOf } from './expectations.ts';
import type { OutcomeId } from './notation.ts';
import type { Cell, Evidence, FencedOutcome, How, Report, ReportVerdict, Run } from './report.ts';

/** A fault has to take effect, while one holds and another waits, in at least this share of the trials. */
const EFFECTIVE_SHARE_MIN = 0.2;
/** A lock that accepts next to nothing loses nothing either. */
const ACCEPTED_SHARE_MIN = 0.5;

export interface Place {
  readonly how: How;
  readonly fault: FaultId;
  readonly column: string;
}

/** The cell of what was tried. */
export function judgeCell(place: Place, evidence: Evidence): Cell {
  const doubt = provesNothing(place, evidence);
  const outcome = doubt === undefined ? outcomeOf(evidence) : 'nothing';
  const expected = expectationOf(place.how, place.column, place.fault);
  return cell(place, outcome, fencedOutcome(evidence), expected, evidence, doubt);
}

/** The cell of a fault that cannot matter there; undefined where it has to be tried. */
export function untriedCell(place: Place): Cell | undefined {
  const expected = expectationOf(place.how, place.column, place.fault);
  if (expected?.outcome !== 'inert' && expected?.outcome !== 'n/a') return undefined;
  return cell(place, expected.outcome, 'n/a', expected, null, expected.reason);
}

/** The cell of a fault that could not be played to its end. */
export function failedCell(place: Place, why: string): Cell {
  const expected = expectationOf(place.how, place.column, place.fault);
  return cell(place, 'nothing', 'n/a', expected, null, why);
}

function cell(
  place: Place,
  outcome: OutcomeId,
  fenced: FencedOutcome,
  expectation: Expectation | undefined,
  evidence: Evidence | null,
  reason: string | undefined,
): Cell {
  const expected =
    expectation === undefined ? null : { outcome: expectation.outcome, fenced: expectation.fenced };
  return {
    fault: place.fault,
    column: place.column,
    how: place.how,
    outcome,
    fenced,
    expected,
    unexpected: !isExpected(outcome, fenced, expected),
    ...(reason === undefined ? {} : { reason }),
    evidence,
  };
}

/** Where nobody has said what to expect, a lock is still not expected to break, nor to prove nothing. */
function isExpected(
  outcome: OutcomeId,
  fenced: FencedOutcome,
  expected: Cell['expected'],
): boolean {
  if (expected !== null) return expected.outcome === outcome && expected.fenced === fenced;
  return outcome !== 'breaks' && outcome !== 'nothing' && fenced !== 'breaks';
}

function outcomeOf({ validityViolated, beliefViolated, unfenced }: Evidence): OutcomeId {
  if (validityViolated === null) return 'breaks';
  if (validityViolated > 0) return 'breaks';
  if (beliefViolated !== null && beliefViolated > 0) return 'late';
  // Nobody was late, and yet an update is gone: whatever did that, the lock did not exclude.
  return unfenced.lost > 0 ? 'breaks' : 'holds';
}

function fencedOutcome({ fenced }: Evidence): FencedOutcome {
  if (fenced === null) return 'n/a';
  return fenced.lost > 0 ? 'breaks' : 'holds';
}

/** Why a cell shows nothing, whatever it looks like. */
function provesNothing({ column }: Place, evidence: Evidence): string | undefined {
  const { trials, effective, unfenced, flaw } = evidence;
  if (flaw !== undefined) return `a history could not be judged: ${flaw}`;
  if (column === 'no-lock') {
    return unfenced.lost > 0 ? undefined : 'without a lock nothing was lost either';
  }
  if (effective < trials * EFFECTIVE_SHARE_MIN || effective === 0) {
    return `the fault took effect in only ${effective} of ${trials} trials`;
  }
  const sent = unfenced.accepted + unfenced.refused;
  if (unfenced.accepted === 0 || unfenced.accepted < sent * ACCEPTED_SHARE_MIN) {
    return `only ${unfenced.accepted} of ${sent} updates were accepted`;
  }
  return undefined;
}

/** What a report comes to. A control that lost nothing outweighs the rest: there is nothing to compare with. */
export function verdictOf(runs: readonly Run[]): ReportVerdict {
  const cells = runs.flatMap((run) => run.safety);
  if (cells.some((each) => each.column === 'no-lock' && each.outcome === 'nothing')) {
    return 'proved-nothing';
  }
  return cells.some((each) => each.unexpected) ? 'unexpected' : 'as-expected';
}

/** 0 when everything is as expected. */
export function exitCodeOf(report: Report): 0 | 1 {
  return report.verdict === 'as-expected' ? 0 : 1;
}
