import { ConfigError } from '@holdfast/core';

/**
 * Parses JSON that a person wrote.
 * @throws ConfigError with line and column
 */
export function parseJson(text: string, where: string): unknown {
  const content = text.startsWith('\uFEFF') ? text.slice(1) : text;
  try {
    return JSON.parse(content);
  } catch (cause) {
    if (cause instanceof RangeError) throw new ConfigError(`${where} is nested too deeply`);
    const message = cause instanceof Error ? cause.message : String(cause);
    const { line, column } = positionOf(content, message);
    // The parser's own message quotes the text, which may contain a password, so it is omitted.
    throw new ConfigError(
      `${where}:${line}:${column} is not JSON: ${reason(content, line, column)}`,
    );
  }
}

/** V8 reports the position of most errors, but not of a character that is never valid. */
function positionOf(text: string, message: string): { line: number; column: number } {
  const position = namedPosition(message) ?? firstUnexpected(text);
  const before = text.slice(0, position).split('\n');
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}

function namedPosition(message: string): number | undefined {
  const digits = /at position (\d+)/.exec(message)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

/**
 * The first character after which the text can no longer become JSON. A binary search, since each step parses a whole
 * prefix.
 */
function firstUnexpected(text: string): number {
  let [good, bad] = [0, text.length + 1];
  while (bad - good > 1) {
    const length = Math.floor((good + bad) / 2);
    if (mayContinue(text.slice(0, length))) good = length;
    else bad = length;
  }
  return good;
}

/** True if `prefix` may be the start of JSON: then the parser reports its end, not a character. */
function mayContinue(prefix: string): boolean {
  try {
    JSON.parse(prefix);
    return true;
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : '';
    return /end of JSON|unterminated/i.test(message) || namedPosition(message) === prefix.length;
  }
}

function reason(text: string, line: number, column: number): string {
  const rest = text.split('\n')[line - 1]?.slice(column - 1) ?? '';
  const character = rest.trim()[0];
  if (character === undefined) return 'it ends too early, or the line does';
  if (character === "'") return 'use double quotes for strings and names';
  if (character === '/') return 'JSON has no comments; use .mjs for a configuration with comments';
  if (character === '}' || character === ']')
    return `"${character}" comes too early; is there a comma before it?`;
  return `"${character}" is not expected here`;
}
