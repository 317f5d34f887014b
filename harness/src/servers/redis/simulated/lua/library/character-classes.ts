import { fault } from '../errors.ts';

/** The classes of Lua's patterns, in the C locale: bytes above 127 belong to none. */
const CLASSES: Readonly<Record<string, RegExp>> = {
  a: /[A-Za-z]/,
  // oxlint-disable-next-line no-control-regex -- this is the class of control characters
  c: /[\0-\x1f\x7f]/,
  d: /\d/,
  l: /[a-z]/,
  p: /[!-/:-@[-`{-~]/,
  s: /[\t-\r ]/,
  u: /[A-Z]/,
  w: /[A-Za-z0-9]/,
  x: /[0-9A-Fa-f]/,
  z: /\0/,
};

/**
 * True if the character is in class `%‹name›`. An upper-case name negates the class; a name that is no letter means
 * itself.
 */
export function matchesClass(char: string, name: string): boolean {
  const members = CLASSES[name.toLowerCase()];
  if (members === undefined) return name === char;
  return members.test(char) === (name === name.toLowerCase());
}

const ALL = 256;
/** Far more than all scripts of a search use; then it is cleared, so that patterns made by scripts do not pile up. */
const KEPT_MAX = 1_000;
const kept = new Map<string, Uint8Array>();

/** For each byte 1 if it is in a class `%‹name›`, or in a bracketed set. */
export function membersOf(item: string): Uint8Array {
  let members = kept.get(item);
  if (members === undefined) {
    if (kept.size >= KEPT_MAX) kept.clear();
    members = Uint8Array.from({ length: ALL }, (_, code) =>
      isMember(String.fromCharCode(code), item) ? 1 : 0,
    );
    kept.set(item, members);
  }
  return members;
}

function isMember(char: string, item: string): boolean {
  if (item.startsWith('[')) return matchesSet(char, item, 0, item.length - 1);
  return matchesClass(char, item.charAt(1));
}

/** The end of the single-character class that starts at `p`. */
export function classEnd(pattern: string, p: number): number {
  const char = pattern.charAt(p);
  if (char === '%') {
    if (p + 1 >= pattern.length) throw fault("malformed pattern (ends with '%')");
    return p + 2;
  }
  if (char !== '[') return p + 1;
  let at = p + 1;
  if (pattern.charAt(at) === '^') at++;
  do {
    if (at >= pattern.length) throw fault("malformed pattern (missing ']')");
    if (pattern.charAt(at++) === '%' && at < pattern.length) at++;
  } while (pattern.charAt(at) !== ']');
  return at + 1;
}

/** True if the character is in the set between `[` at `open` and `]` at `close`. */
export function matchesSet(char: string, pattern: string, open: number, close: number): boolean {
  const negated = pattern.charAt(open + 1) === '^';
  for (let at = open + (negated ? 2 : 1); at < close; at++) {
    const member = pattern.charAt(at);
    if (member === '%') {
      if (matchesClass(char, pattern.charAt(++at))) return !negated;
    } else if (pattern.charAt(at + 1) === '-' && at + 2 < close) {
      if (member <= char && char <= pattern.charAt(at + 2)) return !negated;
      at += 2;
    } else if (member === char) return !negated;
  }
  return negated;
}
