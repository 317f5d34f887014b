import { realpathSync } from 'node:fs';
import { isAbsolute, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { moduleUrl, printable } from 'holdfast/internal';
import { builtInSubject } from '../locks/index.ts';

/** The location of the code that a story or a shard names. */
export type CodeOrigin =
  | { readonly kind: 'built-in' }
  | { readonly kind: 'missing' }
  /** `file`: the file that would run, with all links resolved; printable. */
  | { readonly kind: 'inside' | 'outside'; readonly file: string };

/** On Windows even a lookup of such a path contacts another server and reveals the user to it. */
const NETWORK_PATH = /^[/\\]{2}/;

/**
 * Finds the code that a story or a shard names: inside `folder` or outside, after resolving links. Runs nothing. The name
 * may be a path, or a package in this folder or above.
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
  const route = relative(folder, path);
  return route !== '..' && !route.startsWith(`..${sep}`) && !isAbsolute(route);
}
