import { didYouMean } from '@holdfast/core';
import { BUILT_IN_NAMES, type Io, printable, UsageError } from 'holdfast/internal';
import { codeOriginOf } from '../foreign/code-origin.ts';

interface LockReference {
  /** What names it, for people: `this story`. */
  readonly by: string;
  readonly isTrusted: boolean;
}

/**
 * Says which file is about to be run because a file names it; what the user typed needs no such word.
 * @throws UsageError for one outside of the working directory, unless it is trusted, and for one that is not there
 */
export function admitLock(lock: string, { by, isTrusted }: LockReference, { stderr }: Io): void {
  const admission = codeOriginOf(lock, process.cwd());
  if (admission.kind === 'built-in') return;
  if (admission.kind === 'missing')
    throw new UsageError(
      `${by} needs the lock "${printable(lock)}": there is no such file or package here.${didYouMean(lock, BUILT_IN_NAMES)}`,
      'Run this in the folder in which the lock was searched.',
    );
  if (admission.kind === 'outside' && !isTrusted)
    throw new UsageError(
      `${by} would run ${admission.file}, which is outside of the working directory`,
      'Read that file first; if you trust it, add --trust.',
    );
  stderr.write(`runs ${admission.file}, which ${by} names\n`);
}
