import type { FaultId } from '@holdfast/core/backend';
import type { Schedule, Setup, Subject } from '@holdfast/harness/simulator';
import {
  addTallies,
  EMPTY_TALLY,
  propertyName,
  search,
  setupOf,
  type Tally,
  type Violation,
} from '../../harness/test/kit/search.ts';

/** One column of the table: a lock, and the kinds of schedules that it is tried by. */
export interface Column {
  readonly name: string;
  readonly subject: Subject;
  readonly setups: readonly Partial<Setup>[];
}

/** The first schedule that showed a property violated, and its place among those of the seed. */
export interface First {
  readonly n: number;
  readonly schedule: Schedule;
  readonly violation: Violation;
}

export interface Tried {
  readonly tally: Tally;
  /** By what is violated, one of {@link JUDGED}. */
  readonly firsts: ReadonlyMap<string, First>;
}

/**
 * The number of schedules: `few` of every kind, and `many` in all if two clients have not held validly at once by then. Ours,
 * which is tested with the schedules of several libraries, plays a part of each.
 */
export interface Extent {
  readonly few: number;
  readonly many: number;
  readonly seed: number;
}

/** The properties that a library is judged by, under the names of a tally. */
const JUDGED: ReadonlySet<string> = new Set([
  'validity',
  'fenced',
  'liveness',
  'ownership',
  'open',
  'belief',
]);
const WORST = 'validity';
const LATE = 'belief';

/**
 * The effect of a wrong clock on a lease shows only after the ttl. A client that does not renew is done by then, unless its
 * work takes longer than planned.
 */
const OUTLASTING: ReadonlySet<FaultId> = new Set(['client-clock']);
/** The share of the ttl for clients that do not renew: about a third of them work for longer than their lease. */
export const OUTLASTING_SHARE = 1.4;

/** Plays `few` schedules of each kind, and continues to `many` unless the worst has been seen. */
export async function tryFault(column: Column, fault: FaultId, extent: Extent): Promise<Tried> {
  const trial = new FaultTrial(column, fault, extent.seed);
  await trial.play(0, extent.few);
  const many = Math.ceil(extent.many / column.setups.length);
  if (!trial.tried.firsts.has(WORST)) await trial.play(extent.few, many);
  return trial.tried;
}

/** The schedules that a lock is tried by, so that others can be tried by the very same. */
export function setupFor(subject: Subject): Partial<Setup> {
  return setupOf({ subject });
}

/** The kinds of schedules of one fault; where leases have to be outlasted, those in which they are come first. */
export function setupsFor({ setups }: Pick<Column, 'setups'>, fault: FaultId) {
  const plain = setups.map((setup) => ({ setup, outlasts: false }));
  if (!OUTLASTING.has(fault)) return plain;
  const longer = setups.map((setup) => ({
    setup: { ...setup, fixedShare: OUTLASTING_SHARE },
    outlasts: true,
  }));
  return [...longer, ...plain];
}

class FaultTrial {
  readonly #column: Column;
  readonly #fault: FaultId;
  readonly #seed: number;
  readonly #firsts = new Map<string, First>();
  #tally: Tally = EMPTY_TALLY;

  constructor(column: Column, fault: FaultId, seed: number) {
    this.#column = column;
    this.#fault = fault;
    this.#seed = seed;
  }

  get tried(): Tried {
    return { tally: this.#tally, firsts: this.#firsts };
  }

  /** The schedules of every kind whose place is above `after`. A whole search is played, so that counts can be compared. */
  async play(after: number, budget: number): Promise<void> {
    if (budget <= after) return;
    const { subject } = this.#column;
    for (const { setup, outlasts } of setupsFor(this.#column, this.#fault)) {
      const { tally } = await search({
        subject,
        setup,
        faults: [this.#fault],
        after,
        budget,
        seed: this.#seed,
        // The surroundings are redirected: what the libraries reach for is simulated.
        guard: false,
        onViolation: (schedule, violation, n) => {
          if (!outlasts || propertyName(violation) !== LATE) this.#add({ n, schedule, violation });
        },
      });
      this.#tally = addTallies(this.#tally, outlasts ? withoutLateness(tally) : tally);
    }
  }

  #add(first: First): void {
    const { violation } = first;
    const name = propertyName(violation);
    if (!JUDGED.has(name)) return;
    if (violation.kind === 'unknown')
      throw new Error(`${this.#column.name}: cannot be judged: ${violation.message}`);
    const known = this.#firsts.get(name);
    if (known === undefined || first.n < known.n) this.#firsts.set(name, first);
  }
}

/** A client that outlasts a lease without a report of its loss is late without any fault. */
function withoutLateness(tally: Tally): Tally {
  const { [LATE]: _, ...violated } = tally.violated;
  return { ...tally, violated };
}
