import { UsageError } from 'holdfast/internal';
import { builtInSubject } from '../locks/index.ts';

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
