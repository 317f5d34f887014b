import type { CrossCheck, CrossCheckCell, CrossCheckClaim } from '../evaluation/cross-check.ts';

/** Short names of the properties. */
export const CLAIM_NAMES: Readonly<Record<CrossCheckClaim['claim'], string>> = {
  validity: 'two valid',
  belief: 'late',
  resource: 'fence broken',
};

interface Different {
  readonly cell: CrossCheckCell;
  readonly claims: readonly CrossCheckClaim[];
}

/** Returns the cells in which the two differ, with the claims that differ. */
export function differencesIn({ cells }: CrossCheck): readonly Different[] {
  return cells.flatMap((cell) => {
    const claims = cell.claims.filter(({ onlySeenBy }) => onlySeenBy !== null);
    return claims.length === 0 ? [] : [{ cell, claims }];
  });
}

/** `failover, clocks level on redis-simple/sentinel`. */
export function nameOf({ fault, variant, column }: CrossCheckCell): string {
  return `${fault}${variant === undefined ? '' : `, ${variant}`} on ${column}`;
}

/** `two valid, late: simulator found, laboratory none in 3`. */
export function differenceText(claims: readonly CrossCheckClaim[]): string {
  const sides = [...new Set(claims.map(sidesOf))];
  return sides
    .map((side) => {
      const own = claims.filter((claim) => sidesOf(claim) === side);
      return `${own.map(({ claim }) => CLAIM_NAMES[claim]).join(', ')}: ${side}`;
    })
    .join('; ');
}

function sidesOf({ simulator, laboratory }: CrossCheckClaim): string {
  return `simulator ${foundText(simulator)}, laboratory ${trialsText(laboratory)}`;
}

/** The simulator's result: found or not. How often it is found is chance. */
export function foundText({ hits, of }: CrossCheckClaim['simulator']): string {
  if (hits > 0) return 'found';
  return of === 0 ? 'cannot matter' : `none in ${of}`;
}

export function trialsText({ hits, of }: CrossCheckClaim['laboratory']): string {
  return hits === 0 ? `none in ${of}` : `${hits} of ${of}`;
}

/** Concludes in one sentence. */
export function conclusionOf(both: CrossCheck): string {
  const judged = both.cells.reduce((sum, { claims }) => sum + claims.length, 0);
  const different = differencesIn(both).flatMap(({ claims }) => claims);
  if (different.length === 0)
    return `The simulator and the laboratory agree in all ${judged} verdicts.`;
  const unknown = different.filter(({ isKnown }) => !isKnown).length;
  const why =
    unknown === 0 ? 'the matrix says why' : `the matrix does not say why for ${unknown} of them`;
  return `The simulator and the laboratory agree in ${judged - different.length} of ${judged} verdicts and differ in ${different.length}: ${why}.`;
}
