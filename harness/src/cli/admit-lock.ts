import { didYouMean } from '@holdfast/core/backend';
import { BUILT_IN_NAMES, type Io, printable, UsageError } from 'holdfast/internal';
import { codeOriginOf } from '../foreign/code-origin.ts';

interface LockReference {
  /** The file that names the lock, in words: `this story`. */
  readonly by: string;
  readonly isTrusted: boolean;
}

/**
 * Prints which file is about to be run because a story or shard names it. A lock that the user typed needs no such line.
 * @throws UsageError for a lock outside the working directory, unless it is trusted, and for one that does not exist
 */
export function admitLock(lock: string, { by, isTrusted }: LockReference, { stderr }: Io): void {
  const admission = codeOriginOf(lock, process.cwd());
  if (admission.kind === 'built-in') return;
  if (admission.kind === 'missing')
    throw new UsageError(
      `${by} needs the lock "${printable(lock)}", which is no file or package here.${didYouMean(lock, BUILT_IN_NAMES)}`,
      'Run this in the folder in which the search was run.',
    );
  if (admission.kind === 'outside' && !isTrusted)
    throw new UsageError(
      `${by} would run ${admission.file}, which is outside of the working directory`,
      'Read that file first; if you trust it, add --trust.',
    );
  stderr.write(`runs ${admission.file}, which ${by} names\n`);
}
