import type { Cell, Report } from '../compare/report.ts';
import type { Both, BothCell, BothClaim, KnownDifference, LabCell, Seen } from '../lab/index.ts';
import { isControl } from '../locks/index.ts';
import {
  backendOf,
  CLAIMED,
  type Claimed,
  type Difference,
  type LabPlace,
  placeName,
  rowName,
} from '../matrix/index.ts';
import { FAULT_IDS } from '../simulator/index.ts';

/** Sets what real servers showed beside what the simulator found: each cell, and each property that both judged. */
export function beside(
  simulator: Report,
  laboratory: readonly LabCell[],
  differences: readonly Difference[],
): Both {
  const cells = laboratory
    .toSorted((a, b) => FAULT_IDS.indexOf(a.fault) - FAULT_IDS.indexOf(b.fault))
    .map((cell) => bothCell(cell, simulator, differences))
    .filter(({ claims }) => claims.length > 0);
  return {
    verdict: verdictOf(cells),
    cells,
    known: differences.flatMap((difference) => knownIn(difference, cells)),
    simulator,
  };
}

function bothCell(
  { fault, variant, column, outcome, figures }: LabCell,
  { runs }: Report,
  differences: readonly Difference[],
): BothCell {
  const place = { fault, ...(variant === undefined ? {} : { variant }), column };
  const simulated = runs
    .flatMap(({ safety }) => safety)
    .find((cell) => rowName(cell) === rowName(place) && cell.column === backendOf(place));
  // What proved nothing has nothing to say; nor has the control, which gives no leases.
  if (simulated === undefined || figures === null || outcome === 'nothing' || isControl(column))
    return { ...place, claims: [] };
  const seen = { validity: figures.validity, belief: figures.belief, resource: figures.fenced };
  const claims = CLAIMED.flatMap((claim) => {
    const [found, shown] = [foundBy(simulated, claim), seen[claim]];
    if (found === undefined || shown === null) return [];
    const { hits, of } = shown;
    return bothClaim(claim, found, { hits, of }, (side) =>
      differences.some((each) => isAbout(each, place, claim) && each.onlySeenBy === side),
    );
  });
  return { ...place, claims };
}

function bothClaim(
  claim: Claimed,
  simulator: Seen,
  laboratory: Seen,
  isStated: (side: 'simulator' | 'laboratory') => boolean,
): BothClaim {
  const isFound = simulator.hits > 0;
  const onlySeenBy = isFound === laboratory.hits > 0 ? null : isFound ? 'simulator' : 'laboratory';
  const isKnown = onlySeenBy !== null && isStated(onlySeenBy);
  return { claim, simulator, laboratory, onlySeenBy, isKnown };
}

/** Undefined where the simulator says nothing of it. */
function foundBy({ outcome, evidence }: Cell, claim: Claimed): Seen | undefined {
  if (outcome === 'inert') return { hits: 0, of: 0 };
  if (outcome === 'nothing' || evidence === null) return undefined;
  const { trials, validityViolated, beliefViolated, fencedViolated } = evidence;
  const hits = { validity: validityViolated, belief: beliefViolated, resource: fencedViolated };
  const own = hits[claim];
  return own === null ? undefined : { hits: own, of: trials };
}

function isAbout({ cells, claims }: Difference, place: LabPlace, claim: Claimed): boolean {
  return claims.includes(claim) && cells.some((each) => placeName(each) === placeName(place));
}

function verdictOf(cells: readonly BothCell[]): Both['verdict'] {
  const different = cells.flatMap(({ claims }) =>
    claims.filter(({ onlySeenBy }) => onlySeenBy !== null),
  );
  if (different.length === 0) return 'same';
  return different.every(({ isKnown }) => isKnown) ? 'explained' : 'unexplained';
}

/** An entry about cells of which at least one was played. */
function knownIn(
  { cells: places, claims, onlySeenBy, why, replay }: Difference,
  cells: readonly BothCell[],
): readonly KnownDifference[] {
  const named = new Set(places.map(placeName));
  const played = cells.filter((cell) => named.has(placeName(cell)));
  if (played.length === 0) return [];
  const occurred = played.some((cell) =>
    cell.claims.some((each) => each.onlySeenBy === onlySeenBy && claims.includes(each.claim)),
  );
  return [{ cells: played.map(placeName), onlySeenBy, why, replay, occurred }];
}
