import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

/** Conditions of the exports of a package that apply to `import`. */
const CONDITIONS = new Set(['node', 'import', 'module-sync', 'default']);

/**
 * Resolves the module `name` from `folder` to a URL; undefined if it does not exist. A bare `import` would look for
 * packages beside this file, where the packages of the application need not be.
 */
export function moduleUrl(name: string, folder: string): string | undefined {
  const file = isPath(name) ? resolve(folder, name) : packageFile(name, resolve(folder));
  return file !== undefined && existsSync(file) ? pathToFileURL(file).href : undefined;
}

/** True if the name of a backend is the path of a file. */
export function isPath(name: string): boolean {
  return /^(?:\.{1,2}[/\\]|[/\\]|[a-z]:[/\\])/i.test(name);
}

/** Finds a package in the parent folders, as Node does. */
function packageFile(name: string, folder: string): string | undefined {
  const home = join(folder, 'node_modules', name);
  if (existsSync(join(home, 'package.json'))) return join(home, entryOf(home));
  const parent = dirname(folder);
  return parent === folder ? undefined : packageFile(name, parent);
}

function entryOf(home: string): string {
  const manifest: { readonly exports?: unknown; readonly main?: string } = JSON.parse(
    readFileSync(join(home, 'package.json'), 'utf8'),
  );
  return target(manifest.exports) ?? manifest.main ?? 'index.js';
}

/** The file that `exports` gives for the package itself. */
function target(exports: unknown): string | undefined {
  if (typeof exports === 'string') return exports;
  if (typeof exports !== 'object' || exports === null) return undefined;
  const entries = new Map<string, unknown>(Object.entries(exports));
  if (entries.has('.')) return target(entries.get('.'));
  const condition = [...entries.keys()].find((name) => CONDITIONS.has(name));
  return condition === undefined ? undefined : target(entries.get(condition));
}
