import { simulator } from '../built.ts';
import { spreadOf } from '../statistics.ts';
import { benchmarkSchedule, judged, OPS, processorS } from './benchmark-schedule.ts';
import { profileOf, type TimeShare } from './profile.ts';

/** The speed at which the simulator runs schedules of one lock, on one core. */
export interface ScheduleRate {
  readonly subject: string;
  /** Schedules per second of processor time: the median of the rounds. */
  readonly schedules: number;
  /** The rate of a loop of plain arithmetic between the rounds: it shows the speed and the load of the machine. */
  readonly loops: number;
  /** The distribution of the time. */
  readonly shares: readonly TimeShare[];
}

const BOUNDS = {
  memory: undefined,
  'redis-simple': [5_000, 10_000],
  redlock: [1_000, 2_000],
  zk: [1_000, 2_000],
};
const NAMES = ['memory', 'redis-simple', 'redlock', 'zk'] as const;
const ROUNDS = 15;
const ROUND_S = 0.3;
const WARM_UP_S = 2;
const SHARES_SHOWN = 7;

/** Runs schedules without a trace, as a search does. Processor time, so that other processes do not affect it. */
export async function measureRates(tell: (text: string) => void): Promise<readonly ScheduleRate[]> {
  const { play, subjectOf } = await simulator();
  const rates: ScheduleRate[] = [];
  for (const name of NAMES) {
    let n = 0;
    const one = async (): Promise<void> => {
      const { accepted } = await play(
        benchmarkSchedule(n++, name === 'zk' ? 3 : 5),
        subjectOf(name),
      );
      if (accepted !== OPS) throw new Error(`${name}: ${accepted} of ${OPS} operations were done`);
    };
    await perSecond(one, WARM_UP_S);
    const [schedules, loops]: [number[], number[]] = [[], []];
    for (let round = 0; round < ROUNDS; round++) {
      tell(`schedules of ${name}: round ${round + 1} of ${ROUNDS}`);
      loops.push(await perSecond(loop, ROUND_S / 8));
      schedules.push(await perSecond(one, ROUND_S));
    }
    rates.push({
      subject: name,
      schedules: spreadOf(schedules).median,
      loops: spreadOf(loops).median,
      shares: await profileOf(() => perSecond(one, WARM_UP_S)),
    });
  }
  return rates;
}

export function ratesText(rates: readonly ScheduleRate[]): string {
  const lines = rates.map(
    ({ subject, schedules, loops, shares }) =>
      `  ${subject.padEnd(13)} ${whole(schedules)}/s  ${boundOf(subject, schedules)}\n    ${limits(shares)}\n    yardstick: ${whole(loops)}/s`,
  );
  return `Schedules that the simulator plays in a second of processor time: 3 clients × 3 acquisitions, untraced, on one core.
Where the time goes is by a sampling profiler; the yardstick is 100 000 steps of arithmetic.
${lines.join('\n')}`;
}

function boundOf(subject: string, schedules: number): string {
  const [least, aim] = Object.entries(BOUNDS).find(([name]) => name === subject)?.[1] ?? [];
  if (least === undefined || aim === undefined) return '';
  return `${judged(schedules >= least, `≥ ${whole(least)}/s`)}; the aim is ${whole(aim)}/s`;
}

function limits(shares: readonly TimeShare[]): string {
  const shown = shares.slice(0, SHARES_SHOWN);
  return shown.map(({ of, share }) => `${of} ${Math.round(100 * share)} %`).join(', ');
}

function whole(value: number): string {
  return Math.round(value).toLocaleString('en-GB');
}

async function perSecond(run: () => unknown, forS: number): Promise<number> {
  const from = processorS();
  let count = 0;
  let passedS = 0;
  while (passedS < forS) {
    await run();
    count++;
    passedS = processorS() - from;
  }
  return count / passedS;
}

let sum = 0;

function loop(): void {
  for (let i = 0; i < 100_000; i++) sum = (sum * 31 + i) | 0;
}
