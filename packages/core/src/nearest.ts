import { redactUrl } from './redact.ts';

/**
 * The number of edits between two words: insert, delete, replace, swap neighbours
 * (Wagner and Fischer 1974, with the transposition of Damerau 1964 restricted to neighbours).
 */
export function editDistance(from: string, to: string): number {
  let older: number[] = [];
  let old = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let row = 1; row <= from.length; row++) {
    const next = [row];
    for (let column = 1; column <= to.length; column++) {
      const same = from[row - 1] === to[column - 1];
      const swapped = from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      next.push(
        Math.min(
          (old[column] ?? 0) + 1,
          (next[column - 1] ?? 0) + 1,
          (old[column - 1] ?? 0) + (same ? 0 : 1),
          swapped && column > 1 && row > 1 ? (older[column - 2] ?? 0) + 1 : Infinity,
        ),
      );
    }
    older = old;
    old = next;
  }
  return old[to.length] ?? 0;
}

/** The probable meaning of `word`: the nearest of `known`, or undefined if none is near. */
export function nearest(word: string, known: readonly string[]): string | undefined {
  const lower = word.toLowerCase();
  const begun = known.filter((name) => name.toLowerCase().startsWith(lower));
  if (lower.length > 2 && begun.length === 1) return begun[0];
  const ranked = known
    .map((name) => ({ name, distance: editDistance(lower, name.toLowerCase()) }))
    .toSorted((a, b) => a.distance - b.distance);
  const [best] = ranked;
  // Up to a third of the letters may be wrong; with more it is another word.
  const limit = Math.max(2, Math.floor(lower.length / 3));
  return best !== undefined && best.distance <= limit && best.distance < lower.length
    ? best.name
    : undefined;
}

/** ` Did you mean "x"?`, or an empty text; for the end of a message. */
export function didYouMean(word: string, known: readonly string[]): string {
  const name = nearest(word, known);
  return name === undefined ? '' : ` Did you mean "${name}"?`;
}

/** The message for a name that is none of `known`, with the nearest of them. */
export function unknownName(what: string, name: string, known: readonly string[]): string {
  const hint = didYouMean(name, known);
  return `unknown ${what} '${redactUrl(name)}'; use one of ${known.join(', ')}${hint === '' ? '' : `.${hint}`}`;
}
