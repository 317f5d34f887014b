import { LOCKS, type LockUnderTest } from '../locks/index.ts';
import { UsageError } from './usage-error.ts';
import { wholeNumber } from './whole-number.ts';

/** The locks that run on any number of servers. */
const SIZED: readonly LockUnderTest[] = LOCKS.filter(({ sizes }) => sizes !== undefined);

/**
 * A lock on another number of servers is a lock of its own, so that a story says which.
 * @throws UsageError for a lock that has only one number, or a number that it does not run on
 */
export function sizedFrom(lock: string, values: ReadonlyMap<string, string>): string {
  if (!values.has('nodes')) return lock;
  const { sizes, on } = SIZED.find(({ name }) => name === lock) ?? {};
  if (sizes === undefined || on === undefined)
    throw new UsageError(`--nodes is for ${namesOf(SIZED)}, not for ${lock}`, 'Leave it out.');
  return `${lock}-${wholeNumber(values, { option: 'nodes', fallback: on[0].nodes ?? 0, ...sizes })}`;
}

function namesOf(locks: readonly LockUnderTest[]): string {
  return locks.map(({ name }) => name).join(', ');
}
