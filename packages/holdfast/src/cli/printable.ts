/**
 * What a terminal obeys or does not show: control characters, those that turn the direction of writing, line breaks
 * beyond ASCII, halves of pairs.
 */
const HIDDEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

/** Text with each such character as `\u001b`: as JSON escapes it, so JSON still says the same. */
export function printable(text: string): string {
  return text.replaceAll(HIDDEN, escaped);
}

/** As {@link printable}, but line breaks and tabs remain. */
export function printableLines(text: string): string {
  return text
    .split(/([\n\t])/)
    .map((part, n) => (n % 2 === 1 ? part : printable(part)))
    .join('');
}

function escaped(character: string): string {
  return Array.from(
    { length: character.length },
    (_, n) => `\\u${character.charCodeAt(n).toString(16).padStart(4, '0')}`,
  ).join('');
}
