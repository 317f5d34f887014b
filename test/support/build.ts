import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/** These two need all others. */
const PACKAGES = ['harness', 'packages/conformance'];

/** Set by `npm test` after its build, and here, since several projects of one run load what was built. */
const BUILT = 'HOLDFAST_BUILT';

/** Builds what is out of date, for tests that load what was built. A wrong type does not keep them from running. */
export function setup(): void {
  if (process.env[BUILT] !== undefined) return;
  process.env[BUILT] = '1';
  const { stdout, error } = spawnSync(
    'node_modules/.bin/tsc',
    ['-b', '--checkers', '1', ...PACKAGES],
    {
      cwd: ROOT,
      encoding: 'utf8',
    },
  );
  if (error !== undefined) throw error;
  if (stdout !== '') console.error(stdout);
}
