/** What one server's record says of a hold from `atMs` on, until it says something else; known in the simulator alone. */
export interface HoldStatus {
  /** On the judge's clock. */
  readonly atMs: number;
  /** Until when nobody else can be granted the key by this record, if nothing more is done; -Infinity: it is gone. */
  readonly untilMs: number;
  /** It is gone because its own holder sent so. */
  readonly isOwn: boolean;
  /** Nothing of the hold was there, and a renewal has put it there. */
  readonly isMade: boolean;
}

/** What the servers' own records say of one hold. */
export interface HoldRecord {
  /** As in the history. */
  readonly hold: string;
  /** At how many of the addresses it has to stand, so that nobody else can be granted the key. */
  readonly quorum: number;
  /** Of each address, the records of the servers behind it. */
  readonly addresses: readonly (readonly (readonly HoldStatus[])[])[];
}

/** Of what never was. */
export const NEVER_MS: number = Number.NEGATIVE_INFINITY;

/**
 * Until when a quorum had the hold, each by its record at the best instant of the span, which is inclusive; -Infinity
 * where no quorum had it. What a renewal made anew is no hold that it renewed. Addresses are asked at different instants, so
 * that there need be none at which all had it.
 */
export function provenUntilMs(
  { addresses, quorum }: HoldRecord,
  fromMs: number,
  toMs: number,
): number {
  const ends = addresses.map((lines) => {
    let best = NEVER_MS;
    for (const line of lines) best = Math.max(best, latestUntilMs(line, fromMs, toMs));
    return best;
  });
  if (quorum === 1 && ends.length === 1) return ends[0] ?? NEVER_MS;
  return ends.toSorted((a, b) => b - a)[quorum - 1] ?? NEVER_MS;
}

/**
 * Whether so many addresses had the hold throughout the span that no quorum could have said otherwise. Unless
 * `countsOwn`, what its own holder ended counts as there until its time was over.
 */
export function isHeldThroughout(
  { addresses, quorum }: HoldRecord,
  fromMs: number,
  toMs: number,
  { countsOwn = false }: { readonly countsOwn?: boolean } = {},
): boolean {
  const lasting = addresses.filter(
    (lines) => lines.length > 0 && lines.every((line) => isHeldIn(line, fromMs, toMs, countsOwn)),
  );
  return lasting.length >= quorum;
}

function latestUntilMs(line: readonly HoldStatus[], fromMs: number, toMs: number): number {
  let best = NEVER_MS;
  let isMade = false;
  let beforeMs = NEVER_MS;
  for (const [at, { atMs, untilMs, isMade: isMadeNow }] of line.entries()) {
    if (atMs > toMs) break;
    // What stood on has been made if it was before.
    isMade = isMadeNow || (isMade && beforeMs > atMs);
    beforeMs = untilMs;
    const nextMs = line[at + 1]?.atMs ?? Number.POSITIVE_INFINITY;
    const isInSpan = nextMs >= fromMs && untilMs > Math.max(atMs, fromMs);
    if (isInSpan && !isMade) best = Math.max(best, untilMs);
  }
  return best;
}

function isHeldIn(
  line: readonly HoldStatus[],
  fromMs: number,
  toMs: number,
  countsOwn: boolean,
): boolean {
  let untilMs = NEVER_MS;
  for (const each of line) {
    if (each.atMs > toMs) break;
    if (each.atMs > fromMs && untilMs <= each.atMs) return false;
    if (!each.isOwn || countsOwn) untilMs = each.untilMs;
  }
  return untilMs > toMs;
}
