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
import { type ChangedFile, makeCopies } from '../mutation/copies.ts';
import type { Mutable, Mutant } from './mutant.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const MUTANTS = join(ROOT, '.mutants');

/** The change; absent in a copy of the correct lock. */
export type Change = Pick<Mutant, 'name' | 'package' | 'file' | 'find' | 'replace'>;

/** Copied once in this process: the sources do not change meanwhile. */
const copied = new Map<string, string>();

/**
 * Copies built packages to `.mutants/<name>/`, the first of them changed; they import each other, and otherwise what
 * the originals import. The folder below is named for its content: several test runs may need one mutant at once.
 * Throws if the text to change is not found, or found twice.
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
  const changed = change && { file: change.file, text: changedText(change) };
  const home = join(MUTANTS, name);
  const folder = join(home, digestOf(packages, changed));
  if (existsSync(folder)) return folder;
  mkdirSync(home, { recursive: true });
  const draft = mkdtempSync(join(MUTANTS, 'draft-'));
  makeCopies(draft, packages, changed);
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

/** Of all that a copy is made of. */
function digestOf(packages: readonly Mutable[], changed: ChangedFile | undefined): string {
  const hash = createHash('sha256').update(JSON.stringify(changed ?? 'right'));
  for (const name of packages) hash.update(builtDigest(name));
  return hash.digest('hex').slice(0, 12);
}

const builtDigests = new Map<Mutable, string>();

/** Of a built package, read once. */
function builtDigest(of: Mutable): string {
  const known = builtDigests.get(of);
  if (known !== undefined) return known;
  const built = join(ROOT, 'packages', of, 'dist');
  const hash = createHash('sha256').update(of);
  for (const path of readdirSync(built, { recursive: true, encoding: 'utf8' }).toSorted())
    if (path.endsWith('.js')) hash.update(path).update(readFileSync(join(built, path)));
  const digest = hash.digest('hex');
  builtDigests.set(of, digest);
  return digest;
}

/** Somebody else may have been faster. */
function keep(draft: string, folder: string): void {
  try {
    renameSync(draft, folder);
  } catch (cause) {
    if (!existsSync(folder)) throw cause;
    rmSync(draft, { recursive: true });
  }
}
