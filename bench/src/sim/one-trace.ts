import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { simulator } from '../built.ts';
import { benchmarkSchedule, judged } from './benchmark-schedule.ts';

/** The number of different traces of one schedule, which must be one. */
export interface OneTrace {
  readonly runs: number;
  readonly quiet: number;
  /** With all cores busy, and with timers and garbage on this thread. */
  readonly loaded: number;
}

const RUNS = 1_000;
const SUBJECT = 'redlock';
/** Garbage above this size makes the collector run. */
const GARBAGE = 10_000;

export async function measureOneTrace(tell: (text: string) => void): Promise<OneTrace> {
  const hashes = new Set<string>();
  const quiet = await distinct(hashes, (n) => tell(`one trace: ${n} of ${RUNS}`));
  const stop = await load();
  try {
    const loaded = await distinct(hashes, (n) => tell(`one trace, under load: ${n} of ${RUNS}`));
    return { runs: RUNS, quiet, loaded };
  } finally {
    await stop();
  }
}

export function oneTraceText({ runs, quiet, loaded }: OneTrace): string {
  const one = judged(quiet === 1 && loaded === 1, '1');
  return `Different traces of one schedule on ${SUBJECT} in ${runs} runs: ${quiet}; in ${runs} more with every core busy, timers
and garbage on the same thread: ${loaded} in all; ${one}. (As many in headless Chromium: the browser stage of npm test.)`;
}

/** Adds the hashes of `runs` runs to the earlier ones; returns the number of different hashes. */
async function distinct(hashes: Set<string>, onRun: (n: number) => void): Promise<number> {
  const { play, subjectOf } = await simulator();
  const schedule = benchmarkSchedule(1);
  for (let n = 1; n <= RUNS; n++) {
    const { hash } = await play(schedule, subjectOf(SUBJECT), { trace: true });
    hashes.add(hash ?? 'none');
    if (n % 50 === 0) onRun(n);
  }
  return hashes.size;
}

/** Returns a function that removes the load. */
async function load(): Promise<() => Promise<void>> {
  const hogs = Array.from(
    { length: availableParallelism() },
    () => new Worker('for (;;) Math.sqrt(Math.random());', { eval: true }),
  );
  let garbage: object[] = [];
  const timer = setInterval(() => {
    garbage = Array.from({ length: GARBAGE }, (_, i) => ({ i, before: garbage.length }));
  }, 1);
  return async () => {
    clearInterval(timer);
    await Promise.all(hogs.map((hog) => hog.terminate()));
  };
}
