import { excludes, PERMITS, permitsOf, type Way } from './ways.ts';

/** A hold as its client told of it, in ms of the host's monotonic clock. */
interface Hold {
  readonly client: string;
  readonly way: Way;
  readonly fromMs: number;
  /** Until when it was valid by its grant, or by its latest renewal. */
  untilMs: number;
  /** What its client read when it began. */
  readonly read: number;
  /** When its client left, or was killed; it was valid so long if `isHeld`. */
  left?: { readonly atMs: number; readonly isHeld: boolean };
}

/** What a client tells of a hold that it has got. */
export type Entering = Pick<Hold, 'client' | 'way' | 'fromMs' | 'untilMs'>;

/** When a client left, and until when it held by then, in ms of the host's clock. */
export interface Leaving {
  readonly atMs: number;
  readonly untilMs: number;
}

/**
 * What readers and writers of one key share, and what holders of permits say of theirs, in a process that no fault hits.
 * It compares tokens, those of readers too, and keeps when each hold was valid: at most for as long as its client could know.
 */
export class Resource {
  readonly grants: Record<Way, number> = { read: 0, write: 0, 1: 0, 2: 0 };
  renewals = 0;
  refused = 0;
  readonly #holds = new Map<string, Hold>();
  readonly #violations: string[] = [];
  #counter = 0;
  #token = 0n;

  /** A client has a lease. Returns the counter. */
  enter(hold: string, by: Entering, token = 0n): number {
    this.grants[by.way] += 1;
    this.#holds.set(hold, { ...by, read: this.#counter });
    if (token > this.#token) this.#token = token;
    return this.#counter;
  }

  /** A client has renewed its lease. */
  renewed(hold: string, untilMs: number): void {
    this.renewals += 1;
    this.#hold(hold).untilMs = untilMs;
  }

  /** A writer counts up what it read. One with an old token is refused. */
  write(hold: string, token: bigint): boolean {
    const { client, read } = this.#hold(hold);
    if (token < this.#token) {
      this.refused += 1;
      return false;
    }
    if (this.#counter !== read) this.#violations.push(`${client} lost an update: ${hold}`);
    this.#counter = read + 1;
    return true;
  }

  /** A client leaves, before it releases. A reader that holds even now must find what it read. */
  leave(hold: string, { atMs, untilMs }: Leaving, nowMs: number): void {
    const { client, way, read } = this.#hold(hold);
    this.#hold(hold).left = { atMs, isHeld: untilMs > atMs };
    if (way === 'read' && untilMs > nowMs && this.#counter !== read)
      this.#violations.push(`${client} read beside a writer: ${hold}`);
  }

  /** Whoever is dead believes in nothing. */
  died(client: string, atMs: number): void {
    for (const hold of this.#holds.values())
      if (hold.client === client) hold.left ??= { atMs, isHeld: false };
  }

  /** All that was wrong: what was read and written, and holds that were valid at once and exclude each other. */
  violations(): readonly string[] {
    const found = [...this.#violations];
    let valid: Hold[] = [];
    const inOrder = [...this.#holds.values()].toSorted((a, b) => a.fromMs - b.fromMs);
    for (const hold of inOrder) {
      valid = valid.filter((other) => endOf(other) > hold.fromMs);
      for (const other of valid)
        if (excludes(hold.way, other.way))
          found.push(`${hold.client} got ${hold.way} beside ${other.client} with ${other.way}`);
      valid.push(hold);
      const taken = valid.reduce((sum, { way }) => sum + permitsOf(way), 0);
      if (permitsOf(hold.way) > 0 && taken > PERMITS)
        found.push(`${hold.client} made it ${taken} of ${PERMITS} permits`);
    }
    return found;
  }

  #hold(id: string): Hold {
    const hold = this.#holds.get(id);
    if (hold === undefined) throw new Error(`${id} has not entered`);
    return hold;
  }
}

function endOf({ left, untilMs }: Hold): number {
  if (left === undefined) return untilMs;
  return left.isHeld ? left.atMs : Math.min(left.atMs, untilMs);
}
