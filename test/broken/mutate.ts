import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Mutable, Mutant } from './mutant.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const PACKAGES = join(ROOT, 'packages');
const MUTANTS = join(ROOT, '.mutants');

/** What is changed; nothing in a copy of the right lock. */
export type Change = Pick<Mutant, 'name' | 'package' | 'file' | 'find' | 'replace'>;

/**
 * Copies packages to `.mutants/<name>/` and changes one of the copies; they import each other, and for the rest what
 * the originals import. The folder below is named for what is in it: several test runs may want the same mutant at
 * once. Throws when what is to be changed is not there, or there twice.
 */
export function copyOf(packages: readonly Mutable[], name: string, change?: Change): string {
  const home = join(MUTANTS, name);
  mkdirSync(home, { recursive: true });
  const draft = mkdtempSync(join(MUTANTS, 'draft-'));
  for (const each of packages) copyPackage(each, draft);
  if (change !== undefined) patch(join(draft, change.package, 'src', change.file), change);
  linkPackages(packages, draft);
  const folder = join(home, digestOf(draft));
  keep(draft, folder);
  return folder;
}

/** The module that a copied package exports. */
export async function importFrom<T>(folder: string, of: Mutable): Promise<T> {
  return import(/* @vite-ignore */ pathToFileURL(join(folder, of, 'src/index.ts')).href);
}

function copyPackage(name: Mutable, to: string): void {
  const from = join(PACKAGES, name);
  cpSync(join(from, 'src'), join(to, name, 'src'), { recursive: true });
  writeFileSync(join(to, name, 'package.json'), ofSource(readFileSync(join(from, 'package.json'))));
  // What implements its port throws the errors of the original: the copy has to know them as its own.
  if (name === 'zk') {
    const original = pathToFileURL(join(from, 'src/port.ts')).href;
    writeFileSync(join(to, name, 'src/port.ts'), `export * from ${JSON.stringify(original)};\n`);
  }
}

/** A package.json by which others find the copied sources: nothing is built of them. */
function ofSource(manifest: Buffer): string {
  const { exports, ...more } = JSON.parse(manifest.toString());
  const entries = Object.entries<Record<string, string>>(exports);
  const sources = entries.map(([path, by]) => [path, by['@holdfast/source'] ?? by] as const);
  return JSON.stringify({ ...more, exports: Object.fromEntries(sources) });
}

function patch(path: string, { name, package: of, file, find, replace }: Change): void {
  const [before, after, ...more] = readFileSync(path, 'utf8').split(find);
  if (before === undefined || after === undefined || more.length > 0)
    throw new Error(`mutant ${name} expects to find this once in ${file} of ${of}:\n${find}`);
  writeFileSync(path, before + replace + after);
}

/** Real paths lie outside of any node_modules, so that the copies are transformed like other sources. */
function linkPackages(copied: readonly string[], folder: string): void {
  const scope = join(folder, 'node_modules/@holdfast');
  mkdirSync(scope, { recursive: true });
  for (const name of readdirSync(PACKAGES)) {
    const target = copied.includes(name) ? join('../..', name) : join(PACKAGES, name);
    symlinkSync(target, join(scope, name));
  }
}

function digestOf(folder: string): string {
  const hash = createHash('sha256');
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
  for (const path of files.toSorted()) {
    hash.update(path.slice(folder.length));
    hash.update(readFileSync(path));
  }
  return hash.digest('hex').slice(0, 12);
}

/** Somebody else may have been faster. */
function keep(draft: string, folder: string): void {
  if (!existsSync(folder)) {
    try {
      renameSync(draft, folder);
      return;
    } catch (cause) {
      if (!existsSync(folder)) throw cause;
    }
  }
  rmSync(draft, { recursive: true });
}
