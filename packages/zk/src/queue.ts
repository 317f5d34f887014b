/** The contenders of one key, as the names of their nodes tell. Pure. */

/** `‹contender id›-lock-‹sequence›`; the sequence is printed by `%010d`, negative ones with their sign. */
const NAME = /^(.+)-lock-(-?\d{9,10})$/;
const INT32_MAX = 2 ** 31 - 1;
/** A name of a listing on the wire: its length, and ASCII. */
const LENGTH_BYTES = 4;

/** A contender's place. */
export interface Place {
  readonly name: string;
  readonly contender: string;
  readonly sequence: number;
}

/** The name of a contender's node, to which the server appends the sequence. */
export function prefixOf(contender: string): string {
  return `${contender}-lock-`;
}

/** Undefined for the name of anything that is not a contender. */
export function parsePlace(name: string): Place | undefined {
  const [, contender, digits] = NAME.exec(name) ?? [];
  if (contender === undefined || digits === undefined) return undefined;
  const sequence = Number(digits);
  if (sequence > INT32_MAX || sequence < -INT32_MAX - 1) return undefined;
  return { name, contender, sequence };
}

/**
 * Whether `a` came before `b`. The server counts in 32 signed bits, so 2 147 483 647 is followed by −2 147 483 648.
 * Compared by their difference in 32 bits (RFC 1982) the order outlives that, as long as no contender waits while
 * 2³¹ others come.
 */
export function isBefore(a: Place, b: Place): boolean {
  return ((a.sequence - b.sequence) | 0) < 0;
}

/** The contenders among the children of a container, first come first; and what is none. */
export function queueOf(children: readonly string[]): {
  readonly places: readonly Place[];
  readonly strangers: readonly string[];
} {
  const places: Place[] = [];
  const strangers: string[] = [];
  for (const name of children) {
    const place = parsePlace(name);
    if (place === undefined) strangers.push(name);
    else places.push(place);
  }
  return { places: places.toSorted((a, b) => (isBefore(a, b) ? -1 : 1)), strangers };
}

/** What a listing says about a contender's own place. */
export type Standing =
  | { readonly kind: 'first' }
  | { readonly kind: 'behind'; readonly predecessor: Place; readonly ahead: number }
  /** Its node does not stand there. */
  | { readonly kind: 'absent' };

/** Where `own` stands among the children of its container; one pass, since every contender lists them all. */
export function standingOf(own: Place, children: readonly string[]): Standing {
  let predecessor: Place | undefined;
  let ahead = 0;
  let isThere = false;
  for (const name of children) {
    if (name === own.name) isThere = true;
    const place = parsePlace(name);
    if (place === undefined || !isBefore(place, own)) continue;
    ahead += 1;
    if (predecessor === undefined || isBefore(predecessor, place)) predecessor = place;
  }
  if (!isThere) return { kind: 'absent' };
  return predecessor === undefined ? { kind: 'first' } : { kind: 'behind', predecessor, ahead };
}

/** Children that are no contenders. */
export function strangersIn(children: readonly string[]): readonly string[] {
  return children.filter((name) => parsePlace(name) === undefined);
}

/** How long a listing is on the wire, in bytes. */
export function listingBytes(children: readonly string[]): number {
  return children.reduce((sum, name) => sum + LENGTH_BYTES + name.length, 0);
}
