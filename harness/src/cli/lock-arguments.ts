import { UsageError } from 'holdfast/internal';
import type { ExternalLock } from '../lab/evaluation/external.ts';
import { builtInSubject, LOCKS, type LockUnderTest } from '../locks/index.ts';
import { wholeNumber } from './number-options.ts';

/** The locks that run on several numbers of servers. */
const SIZED: readonly LockUnderTest[] = LOCKS.filter(({ sizes }) => sizes !== undefined);

/**
 * Returns the name of a lock on `--nodes` servers: a lock of its own, so that a story names it.
 * @throws UsageError for a lock with a fixed number of servers, or a number that it does not run on
 */
export function sizedFrom(lock: string, values: ReadonlyMap<string, string>): string {
  if (!values.has('nodes')) return lock;
  const sized = SIZED.find(({ name }) => name === lock);
  if (sized === undefined)
    throw new UsageError(`--nodes is for ${SIZED_NAMES}, not for ${lock}`, 'Leave it out.');
  return nameOn(sized, values);
}

/**
 * Returns the locks that `--nodes` applies to, on so many servers.
 * @param requested the requested locks; undefined for all
 * @throws UsageError if none of them runs on other numbers of servers, or on this one
 */
export function allSizedFrom(
  values: ReadonlyMap<string, string>,
  requested: readonly string[] | undefined,
): readonly { readonly lock: string; readonly sized: string }[] {
  if (!values.has('nodes')) return [];
  const selected = SIZED.filter(({ name }) => requested?.includes(name) ?? true);
  if (selected.length === 0)
    throw new UsageError(`--nodes is for ${SIZED_NAMES}, which is not selected`, 'Leave it out.');
  return selected.map((lock) => ({ lock: lock.name, sized: nameOn(lock, values) }));
}

function nameOn({ name, on, sizes }: LockUnderTest, values: ReadonlyMap<string, string>): string {
  const fallback = on[0].nodes ?? 0;
  const bounds = { min: fallback, max: fallback, ...sizes };
  const nodes = wholeNumber(values, { option: 'nodes', fallback, ...bounds });
  return `${name}-${nodes}`;
}

const SIZED_NAMES: string = SIZED.map(({ name }) => name).join(', ');

/**
 * The lock that is a command, and the column on whose servers it is tested; undefined without `--external`.
 * @throws UsageError for one of the two options without the other
 */
export function externalCommandFrom(values: ReadonlyMap<string, string>): ExternalLock | undefined {
  const command = values.get('external');
  const on = values.get('external-on');
  if (command !== undefined && on !== undefined) return { command, on };
  if (command === undefined && on === undefined) return undefined;
  throw new UsageError(
    '--external and --external-on belong together',
    'Name the command, and the column whose servers it uses, such as --external-on redis-simple.',
  );
}

/**
 * The file or package that `--with` names; undefined without it.
 * @throws UsageError for a built-in lock
 */
export function externalLockFrom(values: ReadonlyMap<string, string>): string | undefined {
  const lock = values.get('with');
  if (lock === undefined || builtInSubject(lock) === undefined) return lock;
  throw new UsageError(
    `--with ${lock} names a lock that comes with holdfast`,
    'Use a file such as ./my-lock.js, or a package.',
  );
}
