import { UsageError } from 'holdfast/internal';
import { builtInSubject, LOCKS, type LockUnderTest } from '../locks/index.ts';
import { wholeNumber } from './number-options.ts';

/** The locks that run on any number of servers. */
const SIZED: readonly LockUnderTest[] = LOCKS.filter(({ sizes }) => sizes !== undefined);

/**
 * A lock on another number of servers is a lock of its own, so that a story says which.
 * @throws UsageError for a lock that has only one number, or a number that it does not run on
 */
export function sizedFrom(lock: string, values: ReadonlyMap<string, string>): string {
  if (!values.has('nodes')) return lock;
  const sized = SIZED.find(({ name }) => name === lock);
  if (sized === undefined)
    throw new UsageError(`--nodes is for ${SIZED_NAMES}, not for ${lock}`, 'Leave it out.');
  return nameOn(sized, values);
}

/**
 * The locks that `--nodes` means, on so many servers.
 * @param asked the locks that were asked for; all of them where none are named
 * @throws UsageError where none of them runs on other numbers of servers, or on this one
 */
export function allSizedFrom(
  values: ReadonlyMap<string, string>,
  asked: readonly string[] | undefined,
): readonly { readonly lock: string; readonly sized: string }[] {
  if (!values.has('nodes')) return [];
  const meant = SIZED.filter(({ name }) => asked?.includes(name) ?? true);
  if (meant.length === 0)
    throw new UsageError(`--nodes is for ${SIZED_NAMES}, which was not asked for`, 'Leave it out.');
  return meant.map((lock) => ({ lock: lock.name, sized: nameOn(lock, values) }));
}

function nameOn({ name, on, sizes }: LockUnderTest, values: ReadonlyMap<string, string>): string {
  const fallback = on[0].nodes ?? 0;
  const bounds = { min: fallback, max: fallback, ...sizes };
  const nodes = wholeNumber(values, { option: 'nodes', fallback, ...bounds });
  return `${name}-${nodes}`;
}

const SIZED_NAMES: string = SIZED.map(({ name }) => name).join(', ');

/**
 * The file or package that `--with` names; undefined where it names none.
 * @throws UsageError for a lock of ours
 */
export function externalLockFrom(values: ReadonlyMap<string, string>): string | undefined {
  const guest = values.get('with');
  if (guest === undefined || builtInSubject(guest) === undefined) return guest;
  throw new UsageError(
    `--with ${guest} names a lock that comes with holdfast`,
    'It takes a file such as ./my-lock.js, or a package.',
  );
}
