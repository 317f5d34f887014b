import { expectationOf } from '../compare/expectation.ts';
import type { Cell, Report } from '../compare/report.ts';
import type {
  CrossCheck,
  CrossCheckCell,
  CrossCheckClaim,
  KnownDifference,
  LabCell,
  ViolationCount,
} from '../lab/index.ts';
import { builtInSubject, isControl } from '../locks/index.ts';
import {
  backendOf,
  CLAIMED,
  type Claimed,
  type Difference,
  type LabCellId,
  labCellName,
  loadMatrix,
  rowName,
} from '../matrix/index.ts';
import { FAULT_IDS } from '../simulator/index.ts';

/** Compares the lab's results with the simulator's, cell by cell and property by property. */
export function crossCheck(
  simulator: Report,
  laboratory: readonly LabCell[],
  differences: readonly Difference[],
): CrossCheck {
  const cells = laboratory
    .toSorted((a, b) => FAULT_IDS.indexOf(a.fault) - FAULT_IDS.indexOf(b.fault))
    .map((cell) => crossCheckCell(cell, simulator, differences))
    .filter(({ claims }) => claims.length > 0);
  return {
    verdict: crossCheckVerdict(cells),
    cells,
    known: differences.flatMap((difference) => knownIn(difference, cells)),
    simulator,
  };
}

function crossCheckCell(
  { fault, variant, column, outcome, figures }: LabCell,
  { runs }: Report,
  differences: readonly Difference[],
): CrossCheckCell {
  const place = { fault, ...(variant === undefined ? {} : { variant }), column };
  const simulated = runs
    .flatMap(({ safety }) => safety)
    .find((cell) => rowName(cell) === rowName(place) && cell.column === backendOf(place));
  // A cell that proved nothing is left out; so is the control, which grants no leases.
  if (simulated === undefined || figures === null || outcome === 'nothing' || isControl(column))
    return { ...place, claims: [] };
  const seen = { validity: figures.validity, belief: figures.belief, resource: figures.fenced };
  const claims = CLAIMED.flatMap((claim) => {
    const [found, shown] = [simulatorCount(simulated, claim), seen[claim]];
    if (found === undefined || shown === null) return [];
    const { hits, of } = shown;
    return crossCheckClaim(claim, found, { hits, of }, (side) =>
      differences.some((each) => isAbout(each, place, claim) && each.onlySeenBy === side),
    );
  });
  return { ...place, claims };
}

function crossCheckClaim(
  claim: Claimed,
  simulator: ViolationCount,
  laboratory: ViolationCount,
  isStated: (side: 'simulator' | 'laboratory') => boolean,
): CrossCheckClaim {
  const isFound = simulator.hits > 0;
  const onlySeenBy = isFound === laboratory.hits > 0 ? null : isFound ? 'simulator' : 'laboratory';
  const isKnown = onlySeenBy !== null && isStated(onlySeenBy);
  return { claim, simulator, laboratory, onlySeenBy, isKnown };
}

/** Undefined if the simulator has no verdict. */
function simulatorCount({ outcome, evidence }: Cell, claim: Claimed): ViolationCount | undefined {
  if (outcome === 'inert') return { hits: 0, of: 0 };
  if (outcome === 'nothing' || evidence === null) return undefined;
  const { trials, validityViolated, beliefViolated, fencedViolated } = evidence;
  const hits = { validity: validityViolated, belief: beliefViolated, resource: fencedViolated };
  const own = hits[claim];
  return own === null ? undefined : { hits: own, of: trials };
}

function isAbout({ cells, claims }: Difference, place: LabCellId, claim: Claimed): boolean {
  return claims.includes(claim) && cells.some((each) => labCellName(each) === labCellName(place));
}

function crossCheckVerdict(cells: readonly CrossCheckCell[]): CrossCheck['verdict'] {
  const different = cells.flatMap(({ claims }) =>
    claims.filter(({ onlySeenBy }) => onlySeenBy !== null),
  );
  if (different.length === 0) return 'same';
  return different.every(({ isKnown }) => isKnown) ? 'explained' : 'unexplained';
}

/** A known difference of which at least one cell was run. */
function knownIn(
  { cells: places, claims, onlySeenBy, why, replay }: Difference,
  cells: readonly CrossCheckCell[],
): readonly KnownDifference[] {
  const named = new Set(places.map(labCellName));
  const played = cells.filter((cell) => named.has(labCellName(cell)));
  if (played.length === 0) return [];
  const occurred = played.some((cell) =>
    cell.claims.some((each) => each.onlySeenBy === onlySeenBy && claims.includes(each.claim)),
  );
  return [{ cells: played.map(labCellName), onlySeenBy, why, replay, occurred }];
}

/** Returns the matrix's expectation for a cell of the lab; undefined if it states none, or that real servers differ. */
export function labExpectation(place: LabCellId): LabCell['expected'] | undefined {
  if (isKnownToDiffer(place)) return undefined;
  const expectation = expectationOf({ how: 'measured', ...place });
  if (expectation === undefined) return undefined;
  // The matrix leaves out what another column shows as well.
  if (expectation.outcome === 'n/a') return undefined;
  // An inert fault is run as a control, which must have no effect.
  if (expectation.outcome === 'inert')
    return { outcome: 'holds', fenced: hasTokens(place) ? 'holds' : 'n/a' };
  return { outcome: expectation.outcome, fenced: expectation.fenced };
}

function hasTokens(place: LabCellId): boolean {
  return builtInSubject(backendOf(place))?.tokens === true;
}

/** True if the matrix says that real servers show less there than the simulator, or more. */
export function isKnownToDiffer(place: LabCellId): boolean {
  const own = labCellName(place);
  return loadMatrix().differences.some(({ cells }) =>
    cells.some((each) => labCellName(each) === own),
  );
}
