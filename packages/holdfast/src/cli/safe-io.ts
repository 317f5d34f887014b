import type { Io, Out } from './io.ts';
import { printable } from './printable.ts';

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
