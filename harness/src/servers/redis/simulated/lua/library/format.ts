import { formatExponential, formatFixed, formatGeneral } from '../../printf.ts';
import { fault } from '../errors.ts';
import type { Arguments } from './arguments.ts';

/** `string.format`, which is C's printf for one value after the other. */
export function format(args: Arguments): string {
  let text = '';
  let at = 1;
  for (const piece of piecesOf(args.string(1)))
    text += typeof piece === 'string' ? piece : converted(piece, args, ++at);
  return text;
}

function converted(directive: Directive, args: Arguments, at: number): string {
  const { kind, precision, isTooLong } = directive;
  if (isTooLong) throw fault('invalid format (width or precision too long)');
  if (at > args.count) throw args.bad(at, 'no value');
  switch (kind) {
    case 's': {
      const text = args.string(at);
      return padded(precision === undefined ? text : text.slice(0, precision), directive);
    }
    case 'c':
      // To C the character 0 ends the string.
      return padded(character(args.number(at)), directive).replace(/\0.*$/s, '');
    case 'q':
      return quoted(args.string(at));
    case 'd':
    case 'i':
      return signed(digits(int64(args.number(at)), precision), directive);
    case 'u':
    case 'x':
    case 'X':
    case 'o':
      return unsigned(BigInt.asUintN(64, int64(args.number(at))), directive);
    case 'e':
    case 'E':
    case 'f':
    case 'g':
    case 'G':
      return signed(floating(args.number(at), directive), directive);
    default:
      throw fault(`invalid option '%${kind}' to 'format'`);
  }
}

/** By a cast to an `int`; on x86 a value out of range has 0 as its lowest byte. */
function character(code: number): string {
  return String.fromCharCode(Math.abs(code) < 2 ** 31 ? Math.trunc(code) & 255 : 0);
}

/** As a cast to a 64-bit integer on x86: values out of range become the smallest integer. */
function int64(value: number): bigint {
  return Math.abs(value) < 2 ** 63 ? BigInt(Math.trunc(value)) : -(2n ** 63n);
}

function digits(value: bigint, precision: number | undefined): string {
  const size = `${value < 0n ? -value : value}`.padStart(precision ?? 1, '0');
  const shown = value === 0n && precision === 0 ? '' : size;
  return value < 0n ? `-${shown}` : shown;
}

const RADIX: Readonly<Record<string, number>> = { u: 10, o: 8, x: 16, X: 16 };

function unsigned(value: bigint, directive: Directive): string {
  const { kind, precision, flags } = directive;
  let text = value.toString(RADIX[kind]).padStart(precision ?? 1, '0');
  if (value === 0n && precision === 0) text = '';
  if (flags.includes('#') && kind === 'o' && !text.startsWith('0')) text = `0${text}`;
  if (flags.includes('#') && kind.toLowerCase() === 'x' && value !== 0n) text = `0x${text}`;
  return padded(kind === 'X' ? text.toUpperCase() : text, directive, precision === undefined);
}

function floating(value: number, { kind, precision = 6, flags }: Directive): string {
  const lower = kind.toLowerCase();
  if (lower === 'f') return formatFixed(value, precision);
  const text =
    lower === 'e' ? formatExponential(value, precision) : general(value, precision, flags);
  return kind === lower ? text : text.toUpperCase();
}

/** `#` keeps trailing zeros. */
function general(value: number, precision: number, flags: string): string {
  const text = formatGeneral(value, precision);
  if (!flags.includes('#') || !Number.isFinite(value)) return text;
  const [mantissa = '', power] = text.split('e');
  const missing = Math.max(1, precision) - mantissa.replace(/^-?(?:0\.0*)?|\./g, '').length;
  const full = `${mantissa}${mantissa.includes('.') ? '' : '.'}${'0'.repeat(Math.max(0, missing))}`;
  return power === undefined ? full : `${full}e${power}`;
}

function signed(text: string, directive: Directive): string {
  const { flags, kind, precision } = directive;
  const plus = flags.includes('+') ? '+' : flags.includes(' ') ? ' ' : '';
  const isInteger = kind === 'd' || kind === 'i';
  const zeros = /\d/.test(text) && !(isInteger && precision !== undefined);
  return padded(text.startsWith('-') ? text : plus + text, directive, zeros);
}

function padded(text: string, { flags, width }: Directive, zeros = false): string {
  if (flags.includes('-')) return text.padEnd(width);
  if (!zeros || !flags.includes('0')) return text.padStart(width);
  const [sign = ''] = /^(?:[+ -]|0[xX])?/.exec(text) ?? [];
  return sign + text.slice(sign.length).padStart(width - sign.length, '0');
}

const ESCAPES: Readonly<Record<string, string>> = {
  '\n': '\\\n',
  '\r': '\\r',
  '\0': '\\000',
  '"': '\\"',
  '\\': '\\\\',
};

function quoted(text: string): string {
  return `"${text.replace(/[\n\r\0"\\]/g, (char) => ESCAPES[char] ?? char)}"`;
}

/** One `%…` of a format, except `%%`. */
interface Directive {
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

/** Splits the format into literal text and directives. */
function piecesOf(template: string): readonly (string | Directive)[] {
  let pieces = known.get(template);
  if (pieces === undefined) {
    pieces = parsePieces(template);
    if (known.size >= KNOWN_MAX) known.clear();
    known.set(template, pieces);
  }
  return pieces;
}

function parsePieces(template: string): readonly (string | Directive)[] {
  const pieces: (string | Directive)[] = [];
  let from = 0;
  for (const match of template.matchAll(DIRECTIVE)) {
    pieces.push(template.slice(from, match.index), match[0] === '%%' ? '%' : parseDirective(match));
    from = match.index + match[0].length;
  }
  return [...pieces, template.slice(from)];
}

function parseDirective([, flags = '', width = '', precision, kind = '']: readonly (
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
