import { closeSync, openSync, readSync } from 'node:fs';
import { printable } from 'holdfast/internal';

/** Stories and reports nest less than half as deep. */
const DEPTH_MAX = 32;
const SHOWN_MAX = 40;
/** Not what joins and parts letters, as names in Persian or Hindi need it; {@link printable} escapes that, too. */
const CONTROLS = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}]/u;

/** Makes the error that the reader of a format throws; `why` is a clause about the file: `nests too deep`. */
export type MakeError = (why: string, cause?: unknown) => Error;

/**
 * Parses JSON of a file that another person may have written.
 * @throws what `refuse` makes, for what is no JSON or no {@link assertPlain plain} data
 */
export function plainJson(text: string, refuse: MakeError): unknown {
  const value = json(text, refuse);
  assertPlain(value, refuse);
  return value;
}

/**
 * Names and texts in files of others are printed, and become names of files: control characters have no place in them,
 * and what is nested without end would overflow the stack of whoever reads it.
 * @throws what `refuse` makes
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

/** Of an object the names too. */
function partsOf(value: unknown): readonly unknown[] {
  return typeof value === 'object' && value !== null ? Object.entries(value).flat() : [];
}

function json(text: string, refuse: MakeError): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    // The parser's own message quotes the text.
    throw refuse('is no JSON, perhaps it was cut', cause);
  }
}

function shown(text: string): string {
  const cut = text.length <= SHOWN_MAX ? text : `${text.slice(0, SHOWN_MAX)}…`;
  return `"${printable(cut)}"`;
}

const CHUNK = 65_536;

/**
 * Reads a file that may be anything: a pipe, a device without end.
 * @throws Error where it cannot be read, or has more than `maxBytes`
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
