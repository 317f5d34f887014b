import { batchOf, schedulesFor } from '@holdfast/sim';
import { playGuarded } from './play-guarded.ts';
import { type SearchOptions, setupOf } from './search.ts';

const PLAYS = 4;
const DIGITS = 8;

/**
 * Tells two states of the code apart, whatever their version says: from the traces of the first schedules of a search,
 * 32 hexadecimal digits. Parts of one search that differ here were not played by the same lock in the same simulator.
 */
export async function fingerprintOf(
  options: Pick<SearchOptions, 'subject' | 'faults' | 'seed' | 'setup' | 'onPlay'>,
): Promise<string> {
  const { subject, faults, seed, onPlay } = options;
  const digits: string[] = [];
  for (const schedule of batchOf(schedulesFor(faults, setupOf(options)), seed, 0).slice(0, PLAYS)) {
    onPlay?.(schedule);
    const { hash = '' } = await playGuarded(schedule, subject, { trace: true });
    digits.push(hash.slice(0, DIGITS));
  }
  return digits.join('');
}
