import { parseOwner } from '../owner.ts';
import type { HoldMode } from '../port.ts';
import { Line } from './line.ts';

/** The exclusive holds of a store, beside which shared ones are kept: so each kind sees the other. */
export interface HoldTable {
  nowMs(): number;
  /** What is stored under the key and has not expired. */
  get(key: string): { readonly owner: string; readonly untilMs: number } | undefined;
  /** Stores it; a new token by default. Returns the token. */
  put(key: string, owner: string, untilMs: number, token?: bigint): bigint;
  delete(key: string): void;
  /** Wakes one waiter of the key, or, without a contender, those that have no place in its line. */
  wake(key: string, contender?: string): void;
}

/**
 * The reply of the store to a request in a mode. `otherOf`: another number of permits that a holder knows of, if any; `holds`:
 * how the key is held, if that can never be waited for.
 */
export type ModeReply =
  | {
      readonly kind: 'granted';
      readonly token: bigint | undefined;
      readonly otherOf?: number | undefined;
    }
  | {
      readonly kind: 'busy';
      readonly holderRemainingMs: number;
      readonly otherOf?: number | undefined;
    }
  | { readonly kind: 'other-mode'; readonly holds: 'shared' | 'permits' };

/**
 * The store's side of readers, writers and semaphores: the executable specification of the modes. Every method is one atomic
 * step. While a key is held by several, a marker is stored under it, as an exclusive holder's value would be.
 */
export class SharedHolds {
  readonly #table: HoldTable;
  readonly #lines = new Map<string, Line>();

  constructor(table: HoldTable) {
    this.#table = table;
  }

  /** Grants it, or gives the contender a place in line that lasts `placeMs`. */
  request(key: string, owner: string, ttlMs: number, mode: HoldMode, placeMs: number): ModeReply {
    const line = this.#line(key);
    this.#lines.set(key, line);
    const { contender = '', n = 0 } = parseOwner(owner) ?? {};
    const other = otherMode(line, mode);
    if (other !== undefined) return { kind: 'other-mode', holds: other };
    const own = this.#ownOf(key, line, contender, mode);
    const isFree = own !== undefined ? own < n : this.#isFree(key, line, contender, mode);
    const otherOf = line.otherOf(mode);
    if (!isFree) {
      line.join(contender, mode, this.#table.nowMs() + placeMs);
      return { kind: 'busy', holderRemainingMs: this.#remainingMs(key, line, mode), otherOf };
    }
    line.leave(contender);
    const token = this.#grant(key, line, { contender, n, owner }, ttlMs, mode);
    this.#tidy(key, line);
    return { kind: 'granted', token, otherOf };
  }

  /** Makes the exclusive hold of `exported`, or an earlier attempt of this owner, a reader's; undefined if there is none. */
  downgrade(key: string, exported: string, owner: string, ttlMs: number): ModeReply | undefined {
    const line = this.#line(key);
    const { contender = '', n = 0 } = parseOwner(owner) ?? {};
    const earlier = line.holds.get(contender);
    const isWriter = this.#table.get(key)?.owner === exported;
    if (!isWriter && (earlier === undefined || earlier.n >= n)) return undefined;
    if (isWriter) this.#table.delete(key);
    this.#lines.set(key, line);
    const token = this.#grant(key, line, { contender, n, owner }, ttlMs, { kind: 'shared' });
    this.wake(key);
    return { kind: 'granted', token };
  }

  /** Lengthens the hold of exactly this owner; false if it holds no more. */
  renew(key: string, owner: string, ttlMs: number): boolean {
    const line = this.#line(key);
    const { contender = '' } = parseOwner(owner) ?? {};
    const hold = line.holds.get(contender);
    if (hold?.owner !== owner) return false;
    const untilMs = Math.max(hold.untilMs, this.#table.nowMs() + ttlMs);
    line.holds.set(contender, { ...hold, untilMs });
    this.#lengthen(key, line, untilMs);
    return true;
  }

  /** Ends the hold of exactly this owner; false if it holds no more. */
  release(key: string, owner: string): boolean {
    const line = this.#line(key);
    const { contender = '' } = parseOwner(owner) ?? {};
    const hold = line.holds.get(contender);
    if (hold?.owner !== owner) return false;
    line.holds.delete(contender);
    if (line.holds.size === 0) {
      line.kind = undefined;
      this.#table.delete(key);
    } else if (hold.untilMs === this.#table.get(key)?.untilMs) this.#mark(key, line);
    this.wake(key);
    return true;
  }

  /** Gives up a place in line. */
  leave(key: string, contender: string): void {
    this.#line(key).leave(contender);
    this.wake(key);
  }

  /** Wakes those whose turn it is; if nobody has a place in line, those that have none. */
  wake(key: string): void {
    const stored = this.#table.get(key);
    // Most keys have no line, and it costs more than the rest of a release to make one.
    if (stored === undefined && !this.#lines.has(key)) {
      this.#table.wake(key);
      return;
    }
    const line = this.#line(key);
    if (stored !== undefined && stored.owner !== line.marker) return;
    const called = line.next();
    for (const contender of called) this.#table.wake(key, contender);
    if (called.length === 0 && stored === undefined) this.#table.wake(key);
    this.#tidy(key, line);
  }

  #line(key: string): Line {
    const line = this.#lines.get(key) ?? new Line();
    line.expire(this.#table.nowMs(), this.#table.get(key)?.owner);
    return line;
  }

  #tidy(key: string, line: Line): void {
    if (line.isEmpty) this.#lines.delete(key);
  }

  /** The number of the attempt by which this contender holds already. */
  #ownOf(key: string, line: Line, contender: string, mode: HoldMode): number | undefined {
    if (mode.kind !== 'exclusive') return line.holds.get(contender)?.n;
    const stored = parseOwner(this.#table.get(key)?.owner ?? '');
    return stored?.contender === contender ? stored.n : undefined;
  }

  #isFree(key: string, line: Line, contender: string, mode: HoldMode): boolean {
    const stored = this.#table.get(key)?.owner;
    if (stored !== undefined && stored !== line.marker) return false;
    return line.fits(mode) && !line.isBehind(contender, mode);
  }

  #remainingMs(key: string, line: Line, mode: HoldMode): number {
    const stored = this.#table.get(key);
    if (stored === undefined) return 0;
    const isOneEnough = mode.kind === 'permits' && stored.owner === line.marker;
    return (isOneEnough ? line.firstEndMs : stored.untilMs) - this.#table.nowMs();
  }

  #grant(
    key: string,
    line: Line,
    {
      contender,
      n,
      owner,
    }: { readonly contender: string; readonly n: number; readonly owner: string },
    ttlMs: number,
    mode: HoldMode,
  ): bigint | undefined {
    const untilMs = this.#table.nowMs() + ttlMs;
    if (mode.kind === 'exclusive') return this.#table.put(key, owner, untilMs);
    const isFirst = line.kind === undefined;
    const { permits, of } = mode.kind === 'permits' ? mode : { permits: 1, of: Infinity };
    line.kind = mode.kind;
    line.holds.set(contender, { owner, n, untilMs, permits, of });
    // The first reader draws a token: a writer's write that comes late is refused once a reader has shown it.
    if (isFirst) line.token = this.#table.put(key, line.marker ?? '', untilMs);
    else this.#lengthen(key, line, untilMs);
    return mode.kind === 'shared' ? line.token : undefined;
  }

  /** The marker lasts as long as the last hold. */
  #mark(key: string, line: Line): void {
    if (line.marker !== undefined) this.#table.put(key, line.marker, line.untilMs, line.token);
  }

  #lengthen(key: string, line: Line, untilMs: number): void {
    const stored = this.#table.get(key);
    if (line.marker !== undefined && stored !== undefined && stored.untilMs < untilMs)
      this.#table.put(key, line.marker, untilMs, line.token);
  }
}

/** How the key is held, if no contender of this mode can ever wait for that: it is used as two kinds of lock. */
function otherMode(line: Line, mode: HoldMode): 'shared' | 'permits' | undefined {
  if (line.kind === undefined) return undefined;
  const wanted = mode.kind === 'permits' ? 'permits' : 'shared';
  return line.kind === wanted ? undefined : line.kind;
}
