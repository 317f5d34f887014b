import type { Mutant } from './mutant.ts';

type Texts = Pick<Mutant, 'find' | 'replace'>;

/** Counts the lines of the correct source that a mutant changes, adds or removes. */
export function linesChanged(texts: Texts): number {
  const lines = difference(texts);
  const count = (sign: string): number => lines.filter(([first]) => first === sign).length;
  return Math.max(count('-'), count('+'));
}

/** Right lines that go begin with `-`, wrong ones that come with `+`, what stays with a space. */
export function difference({ find, replace }: Texts): readonly string[] {
  return walk(find.split('\n'), replace.split('\n'));
}

function walk(right: readonly string[], wrong: readonly string[]): readonly string[] {
  const [first, ...rest] = right;
  if (first === undefined) return wrong.map((line) => `+${line}`);
  const at = wrong.indexOf(first);
  const without = [`-${first}`, ...walk(rest, wrong)];
  if (at < 0) return without;
  const come = wrong.slice(0, at).map((line) => `+${line}`);
  const kept = [...come, ` ${first}`, ...walk(rest, wrong.slice(at + 1))];
  return kept.length <= without.length ? kept : without;
}
