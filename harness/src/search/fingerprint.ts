import { BATCH, batchOf, schedulesFor } from '../simulator/index.ts';
import { playGuarded } from './play-guarded.ts';
import { type SearchOptions, setupOf } from './search.ts';
import { propertyName } from './tally.ts';
import { violationsOf } from './violations.ts';

const RUNS = 4;
const DIGITS = 8;

type FingerprintOptions = Pick<SearchOptions, 'subject' | 'faults' | 'seed' | 'setup' | 'onPlay'>;

/** The result of one schedule. */
interface ScheduleResult {
  /** The hash of its trace. */
  readonly hash: string;
  /** The properties that it violated, by the names of a tally. */
  readonly violated: readonly string[];
}

/** Runs the first schedules of a search and yields their results. */
export async function* scheduleResults(
  options: FingerprintOptions,
  runs: number,
): AsyncGenerator<ScheduleResult> {
  const { subject, faults, seed, onPlay } = options;
  const schedules = schedulesFor(faults, setupOf(options));
  for (let n = 0; n < runs; n += BATCH)
    for (const schedule of batchOf(schedules, seed, n / BATCH).slice(0, runs - n)) {
      onPlay?.(schedule);
      const played = await playGuarded(schedule, subject, { trace: true });
      yield { hash: played.hash ?? '', violated: violationsOf(played).map(propertyName) };
    }
}

/**
 * Identifies the state of the code, independently of its version: 32 hexadecimal digits from the traces of the first
 * schedules of a search. Parts of one search with different fingerprints ran different locks or simulators.
 */
export async function fingerprintOf(options: FingerprintOptions): Promise<string> {
  const digits: string[] = [];
  for await (const { hash } of scheduleResults(options, RUNS)) digits.push(hash.slice(0, DIGITS));
  return digits.join('');
}
