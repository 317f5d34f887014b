import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { makeCopies } from '../mutation/copies.ts';
import type { Mutable, Mutant } from './mutant.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const MUTANTS = join(ROOT, '.mutants');

/** What is changed; nothing in a copy of the right lock. */
export type Change = Pick<Mutant, 'name' | 'package' | 'file' | 'find' | 'replace'>;

/** Copied once in this process: the sources do not change meanwhile. */
const copied = new Map<string, string>();

/**
 * Copies built packages to `.mutants/<name>/`, the first of them changed; they import each other, and for the rest what
 * the originals import. The folder below is named for what is in it: several test runs may want the same mutant at
 * once. Throws when what is to be changed is not there, or there twice.
 */
export function copyOf(
  packages: readonly [Mutable, ...Mutable[]],
  name: string,
  change?: Change,
): string {
  const key = JSON.stringify([packages, name]);
  const folder = copied.get(key) ?? made(packages, name, change);
  copied.set(key, folder);
  return folder;
}

function made(
  packages: readonly [Mutable, ...Mutable[]],
  name: string,
  change: Change | undefined,
): string {
  const home = join(MUTANTS, name);
  mkdirSync(home, { recursive: true });
  const draft = mkdtempSync(join(MUTANTS, 'draft-'));
  const changed = change && { file: change.file, text: changedText(change) };
  makeCopies(draft, packages, changed);
  const folder = join(home, digestOf(draft));
  keep(draft, folder);
  return folder;
}

function changedText({ name, package: of, file, find, replace }: Change): string {
  const source = readFileSync(join(ROOT, 'packages', of, 'src', file), 'utf8');
  const [before, after, ...more] = source.split(find);
  if (before === undefined || after === undefined || more.length > 0)
    throw new Error(`mutant ${name} expects to find this once in ${file} of ${of}:\n${find}`);
  return before + replace + after;
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
