/** Where a command reads and writes; tests hand in their own. */
export interface Io {
  readonly stdout: Out;
  readonly stderr: Out;
  readonly env: NodeJS.ProcessEnv;
}

export interface Out {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

/**
 * What a terminal obeys or does not show: control characters, those that turn the direction of writing, line breaks
 * beyond ASCII, halves of pairs.
 */
const HIDDEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;
/** Line breaks, tabs, and what this command itself says to a terminal: its colours, and that a line is to be cleared. */
const PLAIN_OWN = /([\n\t])/;
// oxlint-disable-next-line no-control-regex -- the very codes that may pass
const TERMINAL_OWN = /([\n\t]|\u001B\[(?:[12]|22|3[1-6]|39|90)m|\r\u001B\[2K)/;

/**
 * The same place to write to, but no text tells a terminal anything: names and messages come from files, servers and
 * locks of others.
 */
export function safeIo({ stdout, stderr, env }: Io): Io {
  return { stdout: safeOut(stdout), stderr: safeOut(stderr), env };
}

function safeOut(out: Out): Out {
  const own = out.isTTY === true ? TERMINAL_OWN : PLAIN_OWN;
  return {
    ...(out.isTTY === undefined ? {} : { isTTY: out.isTTY }),
    write: (text) =>
      out.write(
        text
          .split(own)
          .map((part, n) => (n % 2 === 1 ? part : printable(part)))
          .join(''),
      ),
  };
}

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
