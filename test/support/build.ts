import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/** These two need all others. */
const PACKAGES = ['harness', 'packages/conformance'];

/** Builds what is out of date, for tests that load what was built. A wrong type does not keep them from running. */
export function setup(): void {
  const { stdout, error } = spawnSync('node_modules/.bin/tsc', ['-b', ...PACKAGES], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  if (error !== undefined) throw error;
  if (stdout !== '') console.error(stdout);
}
