import { availableParallelism } from 'node:os';
import { threads } from '../built.ts';
import { spreadOf } from '../statistics.ts';

/** What more threads bring, by the clock on the wall: one thread and all take turns. */
export interface Cores {
  readonly cores: number;
  /** Schedules a second. */
  readonly one: number;
  readonly all: number;
}

const LOCK = 'redis-simple';
const BUDGET = 2_048;
const ROUNDS = 3;

/** A search that finds nothing, as `holdfast find --jobs` runs it. */
export async function measureCores(tell: (text: string) => void): Promise<Cores> {
  const cores = availableParallelism();
  const [one, all]: [number[], number[]] = [[], []];
  for (let round = 0; round < ROUNDS; round++) {
    tell(`one thread and ${cores}: round ${round + 1} of ${ROUNDS}`);
    one.push(await perSecond(1));
    all.push(await perSecond(cores));
  }
  return { cores, one: spreadOf(one).median, all: spreadOf(all).median };
}

export function coresText({ cores, one, all }: Cores): string {
  return `Searching ${LOCK} with --jobs 1 and --jobs ${cores}, ${BUDGET} schedules each, taking turns: ${Math.round(one)}/s and ${Math.round(all)}/s,
× ${(all / one).toFixed(2)} for ${cores} cores, as busy as the machine is`;
}

async function perSecond(jobs: number): Promise<number> {
  const { openTrials, Bound } = await threads();
  const trials = await openTrials(LOCK, process.cwd(), jobs);
  try {
    const bound = new Bound(BUDGET);
    const quest = {
      lock: LOCK,
      folder: '.',
      faults: ['pause'],
      fenced: true,
      budget: BUDGET,
      seed: 1,
    };
    const from = performance.now();
    const hunted = await Promise.all(
      trials.map((trial, first) => trial.hunt(quest, { bound, share: { first, of: jobs } })),
    );
    const played = hunted.reduce((sum, { tally }) => sum + tally.schedules, 0);
    return (played * 1_000) / (performance.now() - from);
  } finally {
    await Promise.all(trials.map((trial) => trial.close()));
  }
}
