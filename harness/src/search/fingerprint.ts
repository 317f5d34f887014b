import { BATCH, batchOf, schedulesFor } from '../simulator/index.ts';
import { playGuarded } from './play-guarded.ts';
import { type SearchOptions, setupOf } from './search.ts';
import { propertyName } from './tally.ts';
import { violationsOf } from './violations.ts';

const PLAYS = 4;
const DIGITS = 8;

type FingerprintOptions = Pick<SearchOptions, 'subject' | 'faults' | 'seed' | 'setup' | 'onPlay'>;

/** What one schedule came to. */
interface ScheduleResult {
  /** Of its trace. */
  readonly hash: string;
  /** The properties that it violated, by the names of a tally. */
  readonly violated: readonly string[];
}

/** Plays the first schedules of a search, and tells of each what it came to. */
export async function* scheduleResults(
  options: FingerprintOptions,
  plays: number,
): AsyncGenerator<ScheduleResult> {
  const { subject, faults, seed, onPlay } = options;
  const schedules = schedulesFor(faults, setupOf(options));
  for (let n = 0; n < plays; n += BATCH)
    for (const schedule of batchOf(schedules, seed, n / BATCH).slice(0, plays - n)) {
      onPlay?.(schedule);
      const played = await playGuarded(schedule, subject, { trace: true });
      yield { hash: played.hash ?? '', violated: violationsOf(played).map(propertyName) };
    }
}

/**
 * Tells two states of the code apart, whatever their version says: from the traces of the first schedules of a search,
 * 32 hexadecimal digits. Parts of one search that differ here were not played by the same lock in the same simulator.
 */
export async function fingerprintOf(options: FingerprintOptions): Promise<string> {
  const digits: string[] = [];
  for await (const { hash } of scheduleResults(options, PLAYS)) digits.push(hash.slice(0, DIGITS));
  return digits.join('');
}
