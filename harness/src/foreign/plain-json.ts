import { closeSync, openSync, readSync } from 'node:fs';
import { printable } from 'holdfast/internal';

/** Stories and reports nest less than half as deep. */
const DEPTH_MAX = 32;
const SHOWN_MAX = 40;
/** Joiners of letters are allowed, because names in Persian or Hindi need them; {@link printable} escapes them, too. */
const CONTROLS = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}]/u;

/** Creates the error that the reader of a format throws; `why` is a clause about the file: `is nested too deeply`. */
export type MakeError = (why: string, cause?: unknown) => Error;

/**
 * Parses the JSON of an untrusted file.
 * @throws the error of `refuse`, for text that is not JSON or not {@link assertPlain plain} data
 */
export function plainJson(text: string, refuse: MakeError): unknown {
  const value = json(text, refuse);
  assertPlain(value, refuse);
  return value;
}

/**
 * Checks data of an untrusted file. Its names and texts are printed, and become file names, so control characters are
 * refused, but for line breaks and tabs in code. Endless nesting is refused, because it would overflow the stack of its reader.
 * @throws the error of `refuse`
 */
export function assertPlain(value: unknown, refuse: MakeError): void {
  let level: readonly unknown[] = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > DEPTH_MAX) throw refuse(`nests more than ${DEPTH_MAX} deep`);
    const texts = level.filter((each) => typeof each === 'string');
    const unsafeText = texts.find((text) => CONTROLS.test(text));
    if (unsafeText !== undefined) throw refuse(`has control characters in ${shown(unsafeText)}`);
    level = level.flatMap(partsOf);
  }
}

/** The values of an array or object; of an object the names, too. Code in `files` is read line by line. */
function partsOf(value: unknown): readonly unknown[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, part]) => [
    name,
    name === 'files' && isObject(part) ? Object.entries(part).map(linesOf) : part,
  ]);
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function linesOf([path, text]: readonly [string, unknown]): readonly unknown[] {
  return [path, typeof text === 'string' ? text.split(/\r?\n|\t/) : text];
}

function json(text: string, refuse: MakeError): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    // The parser's own message quotes the text.
    throw refuse('is not valid JSON, perhaps it was truncated', cause);
  }
}

function shown(text: string): string {
  const cut = text.length <= SHOWN_MAX ? text : `${text.slice(0, SHOWN_MAX)}…`;
  return `"${printable(cut)}"`;
}

const CHUNK = 65_536;

/**
 * Reads a file of any kind, also a pipe or an endless device.
 * @throws Error if it cannot be read, or has more than `maxBytes`
 */
export function readText(path: string, maxBytes: number): string {
  const file = openSync(path, 'r');
  try {
    const chunks: Buffer[] = [];
    for (let size = 0; size <= maxBytes; ) {
      const chunk = Buffer.alloc(CHUNK);
      const length = readSync(file, chunk);
      if (length === 0) return Buffer.concat(chunks).toString('utf8');
      chunks.push(chunk.subarray(0, length));
      size += length;
    }
    throw new Error(`it has more than ${maxBytes} bytes`);
  } finally {
    closeSync(file);
  }
}
