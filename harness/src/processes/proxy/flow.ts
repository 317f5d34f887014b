import type { Socket } from 'node:net';

/** The state that a flow reads from its proxy. */
export interface LinkConditions {
  readonly isCut: () => boolean;
  readonly delayMs: () => number;
  /** Called when the bytes to be lost have arrived. */
  readonly lost: () => void;
}

type Item = Buffer | 'end';

/** A client that subscribes: of Redis, or of PostgreSQL. */
const SUBSCRIBES = /\r\ns?subscribe\r\n|\0.LISTEN /is;

/**
 * One direction of one connection: bytes in order, held while it is cut. The end of the stream waits behind held bytes.
 */
export class Flow {
  readonly #to: Socket;
  readonly #conditions: LinkConditions;
  #held: Item[] = [];
  readonly #delayed: Item[] = [];
  #due = 0;
  /** In addition to a cut of all connections. */
  isCut = false;
  /** Number of replies that pass before one is lost; undefined if none is. */
  passesBeforeLoss: number | undefined;
  hasSubscribed = false;

  constructor(from: Socket, to: Socket, conditions: LinkConditions) {
    this.#to = to;
    this.#conditions = conditions;
    from.on('data', (bytes) => {
      this.hasSubscribed ||= SUBSCRIBES.test(bytes.toString('latin1'));
      this.#accept(bytes);
    });
    from.on('error', () => undefined);
    from.on('close', () => this.#accept('end'));
  }

  get isHolding(): boolean {
    return this.#held.length > 0;
  }

  get heldBytes(): number {
    return this.#held.reduce((sum, item) => sum + (item === 'end' ? 0 : item.length), 0);
  }

  /** Delivers the held bytes. */
  release(): void {
    this.isCut = false;
    const held = this.#held;
    this.#held = [];
    for (const item of held) this.#pass(item);
  }

  #accept(item: Item): void {
    const delayMs = this.#conditions.delayMs();
    if (delayMs === 0 && this.#delayed.length === 0) return this.#arrive(item);
    const now = performance.now();
    // Never earlier than bytes accepted before, so that a shrinking delay does not reorder.
    this.#due = Math.max(this.#due, now + delayMs);
    this.#delayed.push(item);
    setTimeout(() => this.#arriveNext(), this.#due - now);
  }

  /**
   * Timers of different lengths that end within one millisecond fire in any order: each lets the first item through.
   */
  #arriveNext(): void {
    const item = this.#delayed.shift();
    if (item !== undefined) this.#arrive(item);
  }

  #arrive(item: Item): void {
    if (item !== 'end' && this.#isLost()) this.#conditions.lost();
    else if (this.isCut || this.#conditions.isCut() || this.isHolding) this.#held.push(item);
    else this.#pass(item);
  }

  #isLost(): boolean {
    if (this.passesBeforeLoss === undefined) return false;
    const isLost = this.passesBeforeLoss === 0;
    this.passesBeforeLoss = isLost ? undefined : this.passesBeforeLoss - 1;
    return isLost;
  }

  #pass(item: Item): void {
    if (item === 'end') this.#to.end();
    else if (!this.#to.destroyed) this.#to.write(item);
  }
}
