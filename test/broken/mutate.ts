import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Core } from '../properties/support/core.ts';
import type { Mutant } from './mutants.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const SOURCE = join(ROOT, 'packages/core/src');
const MUTANTS = join(ROOT, '.mutants');

/** A copy of core with nothing changed: what convicts this one convicts anything. */
export function importCopy(): Promise<Core> {
  return importFrom(copyTo('unchanged'));
}

/** A copy of core with one mutation. Throws when what it changes is not there, or there twice. */
export function importMutant({ name, file, find, replace }: Mutant): Promise<Core> {
  const folder = copyTo(name);
  const path = join(folder, file);
  const [before, after, ...more] = readFileSync(path, 'utf8').split(find);
  if (before === undefined || after === undefined || more.length > 0)
    throw new Error(`mutant ${name} expects to find this once in core's ${file}:\n${find}`);
  writeFileSync(path, before + replace + after);
  return importFrom(folder);
}

/** How many lines of the right source a mutant changes, adds or takes away. */
export function linesChanged({ find, replace }: Mutant): number {
  const [right, wrong] = [find, replace].map((text) => text.split('\n'));
  const kept = longestCommon(right ?? [], wrong ?? []);
  return Math.max((right ?? []).length, (wrong ?? []).length) - kept;
}

function copyTo(name: string): string {
  const folder = join(MUTANTS, name);
  rmSync(folder, { recursive: true, force: true });
  cpSync(SOURCE, folder, { recursive: true });
  return folder;
}

function importFrom(folder: string): Promise<Core> {
  return import(/* @vite-ignore */ pathToFileURL(join(folder, 'index.ts')).href);
}

/** Length of the longest common subsequence of lines. */
function longestCommon(a: readonly string[], b: readonly string[]): number {
  const [first, ...rest] = a;
  if (first === undefined || b.length === 0) return 0;
  const at = b.indexOf(first);
  const without = longestCommon(rest, b);
  return at < 0 ? without : Math.max(without, 1 + longestCommon(rest, b.slice(at + 1)));
}
