import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { simulator } from '../built.ts';
import { benchmarkSchedule, judged } from './benchmark-schedule.ts';

/** How many different traces one schedule came to, which has to be one. */
export interface OneTrace {
  readonly runs: number;
  readonly quiet: number;
  /** With every core kept busy, timers firing and garbage made on this very thread. */
  readonly loaded: number;
}

const RUNS = 1_000;
const SUBJECT = 'redlock';
/** Above this the collector has work to do. */
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

/** How many different hashes there are after so many runs, with those from before. */
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

/** Returns what takes the load away again. */
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
