import { simulator, type TargetProperty } from '../built.ts';
import { type Spread, spreadOf } from '../statistics.ts';
import { judged, processorS } from './benchmark-schedule.ts';

/** The processor time to minimise violations. */
export interface Minimising {
  readonly subject: string;
  readonly fault: string;
  readonly seconds: Spread;
  readonly plays: Spread;
}

const VALIDITY: TargetProperty = { property: 'validity', fenced: false };
const CASES = [
  { subject: 'redis-simple', fault: 'restart-empty' },
  { subject: 'redis-getset', fault: 'client-clock' },
  { subject: 'redlock', fault: 'server-clock-forward' },
  // The hardest one known: it breaks only by precise timing, which nearly every change destroys.
  { subject: 'redis-getset', fault: 'delay' },
] as const;
const SEEDS = 20;
const BUDGET = 20_000;
const SECONDS_MAX = 1;

/** Finds the first violation of each seed, in schedules with one fault. */
export async function measureMinimising(
  tell: (text: string) => void,
): Promise<readonly Minimising[]> {
  const { search, minimiseToStory, subjectOf } = await simulator();
  const measured: Minimising[] = [];
  for (const { subject: name, fault } of CASES) {
    const [seconds, plays]: [number[], number[]] = [[], []];
    for (let seed = 1; seed <= SEEDS; seed++) {
      tell(`minimising ${fault} on ${name}: seed ${seed} of ${SEEDS}`);
      const subject = subjectOf(name);
      const setup = { faultsMax: 1 };
      const request = {
        subject,
        faults: [fault],
        targets: [VALIDITY],
        budget: BUDGET,
        seed,
        setup,
      };
      const { counterexample } = await search(request);
      if (counterexample === undefined)
        throw new Error(`${name} was not broken by ${fault}, seed ${seed}`);
      const from = processorS();
      const story = await minimiseToStory(counterexample.schedule, subject, VALIDITY, { seed });
      seconds.push(processorS() - from);
      plays.push(story.plays);
    }
    measured.push({ subject: name, fault, seconds: spreadOf(seconds), plays: spreadOf(plays) });
  }
  return measured;
}

export function minimisingText(measured: readonly Minimising[]): string {
  const lines = measured.map(({ subject, fault, seconds, plays }) => {
    const took = `${seconds.median.toFixed(2)} s, at most ${seconds.max.toFixed(2)} s`;
    const bound = judged(seconds.max < SECONDS_MAX, `< ${SECONDS_MAX} s`);
    return `  ${subject.padEnd(13)} ${fault.padEnd(21)} ${took}, ${plays.median} plays; ${bound}`;
  });
  return `Making a violation by a single fault small: medians over seeds 1 to ${SEEDS}, in processor time\n${lines.join('\n')}`;
}
