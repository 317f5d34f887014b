/** One `%…` of a format, `%%` left out. */
export interface Directive {
  readonly flags: string;
  readonly width: number;
  readonly precision: number | undefined;
  readonly kind: string;
  /** Lua refuses a width or precision of more than two digits. */
  readonly isTooLong: boolean;
}

const DIRECTIVE = /%(?:%|([-+ #0]*)(\d*)(\.\d*)?([^]?))/g;

const known = new Map<string, readonly (string | Directive)[]>();
const KNOWN_MAX = 1000;

/** The format in pieces: text as it is, and what stands for a value. */
export function piecesOf(format: string): readonly (string | Directive)[] {
  let pieces = known.get(format);
  if (pieces === undefined) {
    pieces = parsed(format);
    if (known.size >= KNOWN_MAX) known.clear();
    known.set(format, pieces);
  }
  return pieces;
}

function parsed(format: string): readonly (string | Directive)[] {
  const pieces: (string | Directive)[] = [];
  let from = 0;
  for (const match of format.matchAll(DIRECTIVE)) {
    pieces.push(format.slice(from, match.index), match[0] === '%%' ? '%' : directive(match));
    from = match.index + match[0].length;
  }
  return [...pieces, format.slice(from)];
}

function directive([, flags = '', width = '', precision, kind = '']: readonly (
  | string
  | undefined
)[]): Directive {
  return {
    flags,
    width: Number(width),
    precision: precision === undefined ? undefined : Number(precision.slice(1)),
    kind,
    isTooLong: width.length > 2 || (precision?.length ?? 0) > 3,
  };
}
