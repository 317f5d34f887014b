import { spawnSync } from 'node:child_process';

/** What this Java says of itself, on stderr: `17.0.15`; undefined where it does not. */
export function javaVersion(java: string): string | undefined {
  const { stderr } = spawnSync(java, ['-version'], { encoding: 'utf8' });
  return /version "([^"]+)"/.exec(stderr)?.[1];
}
