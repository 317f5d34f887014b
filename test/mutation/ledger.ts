import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Mutable, type Mutant, placeOf } from './mutant.ts';

/** The compiler rejects it, so it could not be shipped. */
export const REFUSED = 'types';
/** The contract does not tell it from the correct lock; no other judge has run. */
export const WITHSTOOD = 'withstood';
/** Nor do the unit tests of its package. */
export const UNNOTICED = 'unnoticed';
/** No judge tells it from the correct lock. */
export const SURVIVED = 'survived';

export function isAlive(came: string | undefined): boolean {
  return came === WITHSTOOD || came === UNNOTICED || came === SURVIVED;
}

const FOLDER = fileURLToPath(new URL('record', import.meta.url));

/**
 * Results of the mutants of one package, by digest: the test that noticed each, or one of the constants above. Another book
 * keeps the results of other judges.
 */
export class Ledger {
  readonly #path: string;
  readonly #known: Map<string, string>;

  constructor(of: Mutable, book?: 'alone') {
    this.#path = join(FOLDER, book ?? '.', `${of}.json`);
    this.#known = new Map(existsSync(this.#path) ? read(this.#path) : []);
  }

  of({ digest }: Pick<Mutant, 'digest'>): string | undefined {
    return this.#known.get(digest);
  }

  set(digest: string, came: string): void {
    this.#known.set(digest, came);
  }

  /** Stores the results of `mutants`, and forgets all others. */
  keep(mutants: readonly Mutant[]): void {
    const kept = new Map<string, string[]>();
    for (const { digest } of mutants) {
      const came = shortened(this.#known.get(digest));
      if (came !== undefined) kept.set(came, [...(kept.get(came) ?? []), digest]);
    }
    mkdirSync(dirname(this.#path), { recursive: true });
    // Renamed into place: a campaign may be ended at any moment.
    writeFileSync(`${this.#path}.new`, textOf(kept));
    renameSync(`${this.#path}.new`, this.#path);
  }
}

/**
 * Returns the mutants that contract and unit tests have judged, in the order of judging, up to the first that they have
 * not: a fair sample. Schedules may be missing; a mutant that is not noticed without them counts as not noticed.
 */
export function sampleOf(mutants: readonly Mutant[], ledger: Ledger): readonly Mutant[] {
  const missing = mutants.filter((mutant) => [undefined, WITHSTOOD].includes(ledger.of(mutant)));
  const end = Math.min(1, ...missing.map(placeOf));
  return mutants.filter((mutant) => placeOf(mutant) < end);
}

/** Drops the name of the unit test, which changes often. */
function shortened(came: string | undefined): string | undefined {
  return came?.startsWith('unit: ') === true ? 'unit' : came;
}

/** Digests by result; a line for each result. */
type Kept = Readonly<Record<string, string>>;

function read(path: string): readonly (readonly [digest: string, came: string])[] {
  const kept: Kept = JSON.parse(readFileSync(path, 'utf8'));
  return Object.entries(kept).flatMap(([came, digests]) =>
    digests.split(' ').map((digest) => [digest, came] as const),
  );
}

function textOf(kept: ReadonlyMap<string, readonly string[]>): string {
  const lines = Array.from(
    kept,
    ([came, digests]) => [came, digests.toSorted().join(' ')] as const,
  );
  const all: Kept = Object.fromEntries(lines.toSorted(([a], [b]) => (a < b ? -1 : 1)));
  return `${JSON.stringify(all, null, 2)}\n`;
}
