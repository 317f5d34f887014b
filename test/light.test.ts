import { execFileSync } from 'node:child_process';
import { existsSync, lstatSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from './support/source-file.ts';

const FILE_BYTES = 200_000;
const ALL_BYTES = 2_000_000;
const LOCKFILE = 'pnpm-lock.yaml';

interface Tracked {
  readonly path: string;
  readonly bytes: number;
}

/** The files of a clone apart from the lockfile. A link counts as nothing. */
function trackedFiles(): readonly Tracked[] {
  const output = execFileSync('git', ['ls-files', '-z'], { cwd: root, encoding: 'utf8' });
  return output
    .split('\0')
    .filter((path) => path !== '' && path !== LOCKFILE)
    .flatMap((path) => {
      const found = lstatSync(join(root, path), { throwIfNoEntry: false });
      return found?.isFile() === true ? [{ path, bytes: found.size }] : [];
    });
}

test.skipIf(!existsSync(join(root, '.git')))(
  'no tracked file is large, nor are all of them together (skipped without a git directory)',
  () => {
    const files = trackedFiles();

    expect(files.length).toBeGreaterThan(100);
    expect(files.filter(({ bytes }) => bytes > FILE_BYTES)).toEqual([]);
    const others = files.filter(({ path }) => !path.endsWith('.ts'));
    expect(others.reduce((sum, { bytes }) => sum + bytes, 0)).toBeLessThanOrEqual(ALL_BYTES);
  },
);
