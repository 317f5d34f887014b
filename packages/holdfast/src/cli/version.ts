import { readFileSync } from 'node:fs';

/** The version of this package; the same path leads there from `src` and from `dist`. */
export function holdfastVersion(): string {
  const manifest = new URL('../../package.json', import.meta.url);
  const { version }: { readonly version: string } = JSON.parse(readFileSync(manifest, 'utf8'));
  return version;
}
