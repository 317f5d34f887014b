import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type * as postgresClient from '@holdfast/postgres/sessions';
import type * as links from '@holdfast/redis/links';
import type { openSessions } from '@holdfast/zk/network';
import { transformSync } from 'rolldown/utils';
import type { Mutable } from '../broken/mutant.ts';
import { ROOT } from './targets.ts';

const PACKAGES = join(ROOT, 'packages');

/** The change in a copy: the whole text of one source file. */
export interface ChangedFile {
  readonly file: string;
  readonly text: string;
}

/**
 * Makes copies of built packages in `folder`, the first of them changed; they import each other, and for the rest what
 * the originals import.
 */
export function makeCopies(
  folder: string,
  packages: readonly [Mutable, ...Mutable[]],
  changed?: ChangedFile,
): void {
  for (const name of packages) copyPackage(name, join(folder, name));
  if (changed !== undefined) write(join(folder, packages[0]), changed);
  const scope = join(folder, 'node_modules/@holdfast');
  mkdirSync(scope, { recursive: true });
  for (const name of readdirSync(PACKAGES)) {
    const isCopied = packages.some((each) => each === name);
    symlinkSync(isCopied ? join('../..', name) : join(PACKAGES, name), join(scope, name));
  }
}

export function removeCopies(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
}

/** The module that a copied package exports. */
export async function importCopy<T>(folder: string, of: Mutable): Promise<T> {
  // What opens a lock is not among what its users touch.
  const entry = of === 'core' ? 'dist/backend.js' : 'dist/index.js';
  return import(pathToFileURL(join(folder, of, entry)).href);
}

/** The function by which a copy of `zk` opens sessions, with a copy of the client. */
export async function importClient(
  folder: string,
): Promise<{ readonly openSessions: typeof openSessions }> {
  return import(pathToFileURL(join(folder, 'zk/dist/adapters/zk-client.js')).href);
}

/** The client code of a copy of `redis`. */
export async function importLinks(folder: string): Promise<typeof links> {
  return import(pathToFileURL(join(folder, 'redis/dist/links.js')).href);
}

/** The client code of a copy of `postgres`. */
export async function importDatabaseClient(folder: string): Promise<typeof postgresClient> {
  return import(pathToFileURL(join(folder, 'postgres/dist/sessions.js')).href);
}

function copyPackage(name: Mutable, to: string): void {
  const from = join(PACKAGES, name);
  const built = join(from, 'dist');
  for (const entry of readdirSync(built, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !entry.name.endsWith('.js')) continue;
    const folder = join(to, entry.parentPath.slice(from.length));
    mkdirSync(folder, { recursive: true });
    copyFileSync(join(entry.parentPath, entry.name), join(folder, entry.name));
  }
  copyFileSync(join(from, 'package.json'), join(to, 'package.json'));
  // Implementations of its port throw the errors of the original: the copy has to recognise them as its own.
  const port = join(built, 'port.js');
  if (name !== 'core' && existsSync(port)) writeFileSync(join(to, 'dist/port.js'), reexport(port));
}

function reexport(path: string): string {
  return `export * from ${JSON.stringify(pathToFileURL(path).href)};\n`;
}

function write(to: string, { file, text }: ChangedFile): void {
  const { code, errors } = transformSync(file, text, {
    typescript: { rewriteImportExtensions: 'rewrite', onlyRemoveTypeImports: true },
    target: 'es2022',
  });
  if (errors.length > 0) throw new Error(`${file}: ${errors[0]?.message}`);
  writeFileSync(join(to, 'dist', file.replace(/\.ts$/, '.js')), code);
}
