/** The state of a hold in one server's record, from `atMs` until the next one; known only in the simulator. */
export interface HoldStatus {
  /** On the judge's clock. */
  readonly atMs: number;
  /** Until when this record blocks all other clients, if nothing more happens; -Infinity: the hold is gone. */
  readonly untilMs: number;
  /** True if its own holder removed it. */
  readonly isOwn: boolean;
  /** True if the hold was not stored, and a renewal created it. */
  readonly isMade: boolean;
}

/** The servers' records of one hold. */
export interface HoldRecord {
  /** As in the history. */
  readonly hold: string;
  /** The number of addresses that have to store it, so that no other client can be granted the key. */
  readonly quorum: number;
  /** For each address, the records of the servers behind it. */
  readonly addresses: readonly (readonly (readonly HoldStatus[])[])[];
}

/** The end of a hold that never existed. */
export const NEVER_MS: number = Number.NEGATIVE_INFINITY;

/**
 * Until when a quorum stored the hold, each by its record at the best instant of the inclusive span; -Infinity if no
 * quorum did. A hold that a renewal created anew does not count as renewed. Requests reach the addresses at different
 * instants, so there may be no instant at which all stored it.
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
 * True if so many addresses stored the hold throughout the span that no quorum could deny it. Unless `countsOwn`, a hold
 * that its own holder removed counts as stored until it would have expired.
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
    // A hold that continues keeps how it began.
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
