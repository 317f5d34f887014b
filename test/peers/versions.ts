import { readFileSync } from 'node:fs';

/** The version of a package as it is installed for the tests. */
export function versionOf(name: string): string {
  const manifest = new URL(`../node_modules/${name}/package.json`, import.meta.url);
  const { version } = JSON.parse(readFileSync(manifest, 'utf8')) as { version: string };
  return version.replace(/^v/, '');
}
