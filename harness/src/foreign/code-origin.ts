import { realpathSync } from 'node:fs';
import { isAbsolute, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { moduleUrl, printable } from 'holdfast/internal';
import { builtInSubject } from '../locks/index.ts';

/** What becomes of the code that a story or a shard names. */
export type CodeOrigin =
  | { readonly kind: 'built-in' }
  | { readonly kind: 'missing' }
  /** `file`: what would be run, with all links resolved; printable. */
  | { readonly kind: 'inside' | 'outside'; readonly file: string };

/** On Windows even a look at such a path asks a stranger's server, and tells it who asks. */
const NETWORK_PATH = /^[/\\]{2}/;

/**
 * Where the code is that a story or a shard names: inside of `folder` or outside, wherever links lead. Runs nothing.
 * The name may be a path, or a package in this folder or above.
 */
export function codeOriginOf(lock: string, folder: string): CodeOrigin {
  if (builtInSubject(lock) !== undefined) return { kind: 'built-in' };
  if (NETWORK_PATH.test(lock)) return { kind: 'outside', file: printable(lock) };
  const url = moduleUrl(lock, folder);
  if (url === undefined) return { kind: 'missing' };
  const path = realpathSync(fileURLToPath(url));
  const kind = isWithin(path, realpathSync(folder)) ? 'inside' : 'outside';
  return { kind, file: printable(path) };
}

function isWithin(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}
