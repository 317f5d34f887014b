/** Input and output of a command; tests pass their own. */
export interface Io {
  readonly stdout: Out;
  readonly stderr: Out;
  /** Absent: nobody can be asked. */
  readonly stdin?: In;
  readonly env: NodeJS.ProcessEnv;
}

export interface Out {
  readonly isTTY?: boolean;
  /** The lines of a terminal. */
  readonly rows?: number;
  write(text: string): unknown;
  /** Clears a terminal; absent elsewhere. */
  readonly clear?: () => void;
}

export interface In {
  readonly isTTY?: boolean;
  /** The next line; undefined at the end. */
  line(): Promise<string | undefined>;
}

/**
 * Characters that control a terminal or that it does not show: control and direction characters, line breaks beyond
 * ASCII, lone surrogates.
 */
const HIDDEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;
/**
 * Characters that pass: line breaks and tabs; to a terminal also this command's own colours, and its code to clear a
 * line.
 */
const PLAIN_OWN = /([\n\t])/;
// oxlint-disable-next-line no-control-regex -- these codes may pass
const TERMINAL_OWN = /([\n\t]|\u001B\[(?:[12]|22|3[1-6]|39|90)m|\r\u001B\[2K)/;

/**
 * Wraps the output so that no text can control a terminal: names and messages come from files, servers and foreign
 * locks.
 */
export function safeIo({ stdout, stderr, ...rest }: Io): Io {
  return { ...rest, stdout: safeOut(stdout), stderr: safeOut(stderr) };
}

/** Moves to the upper left, and clears what is below. */
const CLEAR = '\u001B[H\u001B[J';

function safeOut(out: Out): Out {
  const own = out.isTTY === true ? TERMINAL_OWN : PLAIN_OWN;
  const isTerminal = out.isTTY === true;
  const clear = (): void => void out.write(CLEAR);
  return {
    ...(out.isTTY === undefined ? {} : { isTTY: out.isTTY }),
    ...(out.rows === undefined ? {} : { rows: out.rows }),
    ...(isTerminal ? { clear } : {}),
    write: (text) =>
      out.write(
        text
          .split(own)
          .map((part, n) => (n % 2 === 1 ? part : printable(part)))
          .join(''),
      ),
  };
}

/** Escapes each such character as JSON does, for example `\u001b`, so that JSON keeps its meaning. */
export function printable(text: string): string {
  return text.replaceAll(HIDDEN, escaped);
}

/** Like {@link printable}, but keeps line breaks and tabs. */
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
