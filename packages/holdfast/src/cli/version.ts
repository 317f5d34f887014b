import { readFileSync } from 'node:fs';

/** The version of this package. The relative path is valid from `src` and from `dist`. */
export function holdfastVersion(): string {
  const manifest = new URL('../../package.json', import.meta.url);
  const { version }: { readonly version: string } = JSON.parse(readFileSync(manifest, 'utf8'));
  return version;
}
