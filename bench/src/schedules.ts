import { performance } from 'node:perf_hooks';
import { simulator } from './built.ts';
import { spreadOf } from './statistics.ts';

/** How fast the simulator plays schedules of one lock, on one core. */
export interface ScheduleRate {
  readonly subject: string;
  /** A second: median of the rounds. */
  readonly schedules: number;
  /** A loop of plain arithmetic, run between the rounds: what else the machine did meanwhile shows in it. */
  readonly loops: number;
}

const SUBJECTS = ['memory', 'redis-simple', 'redlock'] as const;
const ROUNDS = 15;
const ROUND_MS = 400;
const WARM_UP_MS = 3_000;

/** Three clients that ask three times each, at times of their own, without faults and without a trace. */
export async function measureSchedules(): Promise<readonly ScheduleRate[]> {
  const { play, SUBJECTS: subjects } = await simulator();
  const rates: ScheduleRate[] = [];
  for (const name of SUBJECTS) {
    const subject = subjects[name];
    let n = 0;
    const one = async (): Promise<void> => {
      const { accepted } = await play(schedule(n++), subject);
      if (accepted !== 9) throw new Error(`${name}: ${accepted} of 9 operations were accepted`);
    };
    await perSecond(one, WARM_UP_MS);
    const [schedules, loops]: [number[], number[]] = [[], []];
    for (let round = 0; round < ROUNDS; round++) {
      loops.push(await perSecond(loop, ROUND_MS / 8));
      schedules.push(await perSecond(one, ROUND_MS));
    }
    rates.push({
      subject: name,
      schedules: spreadOf(schedules).median,
      loops: spreadOf(loops).median,
    });
  }
  return rates;
}

export function scheduleText(rates: readonly ScheduleRate[]): string {
  const lines = rates.map(({ subject, schedules, loops }) =>
    [
      subject.padEnd(14),
      `${Math.round(schedules)}/s`.padStart(9),
      loops.toFixed(0).padStart(9),
    ].join(''),
  );
  return `Schedules that the simulator plays on one core, 3 clients × 3 acquisitions, untraced; the right column is a
yardstick: 100 000 steps of arithmetic, as often as this in a second.
${lines.join('\n')}`;
}

async function perSecond(run: () => unknown, ms: number): Promise<number> {
  const from = performance.now();
  let count = 0;
  let passedMs = 0;
  while (passedMs < ms) {
    await run();
    count++;
    passedMs = performance.now() - from;
  }
  return (count * 1000) / passedMs;
}

let sum = 0;

function loop(): void {
  for (let i = 0; i < 100_000; i++) sum = (sum * 31 + i) | 0;
}

function schedule(n: number): object {
  const op = (id: number): object => ({
    id,
    client: 'abc'[id % 3],
    atMs: (id * 7 + n * 13) % 60,
    holdMs: 3 + ((id + n) % 5),
    renews: false,
  });
  const ops = Array.from({ length: 9 }, (_, id) => op(id));
  const still = { replicas: 0, lagMs: 0, replicaClockMs: 0, faults: [] };
  return { v: 1, ttlMs: 1_000, latencyMs: 1, nodes: 5, ops, ...still };
}
