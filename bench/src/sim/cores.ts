import { availableParallelism } from 'node:os';
import { type LockRunner, threads } from '../built.ts';
import { spreadOf } from '../statistics.ts';

/** The gain of more threads, by the wall clock: one thread and all threads take turns. */
export interface Cores {
  readonly cores: number;
  /** Schedules per second. */
  readonly one: number;
  readonly all: number;
}

const LOCK = 'redis-simple';
const BUDGET = 2_048;
const ROUNDS = 3;

/** A search that finds nothing, in warmed-up threads of `holdfast find --jobs`. */
export async function measureCores(tell: (text: string) => void): Promise<Cores> {
  const cores = availableParallelism();
  const { openRunners } = await threads();
  const trials = await openRunners(LOCK, process.cwd(), cores);
  const [one, all]: [number[], number[]] = [[], []];
  try {
    await perSecond(trials);
    for (let round = 0; round < ROUNDS; round++) {
      tell(`one thread and ${cores}: round ${round + 1} of ${ROUNDS}`);
      one.push(await perSecond(trials.slice(0, 1)));
      all.push(await perSecond(trials));
    }
  } finally {
    await Promise.all(trials.map((trial) => trial.close()));
  }
  return { cores, one: spreadOf(one).median, all: spreadOf(all).median };
}

export function coresText({ cores, one, all }: Cores): string {
  return `Searching ${LOCK} in one thread and in ${cores}, ${BUDGET} schedules each, taking turns: ${Math.round(one)}/s and ${Math.round(all)}/s,
× ${(all / one).toFixed(2)} for ${cores} cores, as busy as the machine is`;
}

async function perSecond(trials: readonly LockRunner[]): Promise<number> {
  const { SharedLimit } = await threads();
  const limit = new SharedLimit(BUDGET);
  const request = {
    lock: LOCK,
    folder: '.',
    faults: ['pause'],
    fenced: true,
    budget: BUDGET,
    seed: 1,
  };
  const from = performance.now();
  const hunted = await Promise.all(
    trials.map((trial, first) =>
      trial.searchPart(request, { limit, share: { first, of: trials.length } }),
    ),
  );
  const played = hunted.reduce((sum, { tally }) => sum + tally.schedules, 0);
  return (played * 1_000) / (performance.now() - from);
}
