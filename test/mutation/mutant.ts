import { createHash } from 'node:crypto';

/** Packages whose sources are changed. */
export type Mutable = 'core' | 'redis' | 'redis-simple' | 'redis-getset' | 'redlock' | 'zk';

/** One stretch of a text, and what takes its place. */
export interface Edit {
  /** The edit, in words. */
  readonly what: string;
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** A source file with one edit, made by a rule and not by an idea of what goes wrong. */
export interface Mutant extends Edit {
  readonly package: Mutable;
  /** Below the package's source folder. */
  readonly file: string;
  /** From 1. */
  readonly line: number;
  /** The digest of its file name and whole code: stable while only comments and line breaks change in that file. */
  readonly digest: string;
}

/** `text` with spaces for comments is `code`: both have the same places. */
export function mutantOf(
  of: Mutable,
  file: string,
  { text, code }: { readonly text: string; readonly code: string },
  edit: Edit,
): Mutant {
  const line = text.slice(0, edit.start).split('\n').length;
  const wrong = edited(code, edit).replaceAll(/\s+/g, ' ');
  const hash = createHash('sha256').update(`${of}/${file}\n${wrong}`);
  return { ...edit, package: of, file, line, digest: hash.digest('hex').slice(0, 12) };
}

/** The right package, to be judged as if it were a mutant. */
export function unchanged(of: Mutable, file: string): Mutant {
  const nothing = { what: 'nothing', start: 0, end: 0, text: '' };
  return { ...nothing, package: of, file, line: 1, digest: 'unchanged' };
}

/** From 0 to 1: where it comes in the order in which mutants are judged, so that those judged first are a fair sample. */
export function placeOf({ digest }: Pick<Mutant, 'digest'>): number {
  return Number.parseInt(digest, 16) / 16 ** digest.length;
}

export function edited(text: string, { start, end, text: by }: Edit): string {
  return text.slice(0, start) + by + text.slice(end);
}
