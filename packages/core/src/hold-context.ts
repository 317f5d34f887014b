import { CapabilityError, ConcurrentReentryError } from './errors.ts';
import type { LockEvent } from './events.ts';
import type { KeyOrKeys } from './key.ts';
import { type HeldLease, reenterLease } from './lease.ts';
import type { HeldMultiLease } from './multi-lease.ts';
import type { HoldMode } from './port.ts';

/** Keeps a value along a chain of calls, as `AsyncLocalStorage` of Node does. One for each `Locks`. */
export interface ContextStorage {
  /** The value of the innermost `run` around this call; undefined outside. */
  getStore(): unknown;
  /** Runs `body` with a value. */
  run<T>(value: unknown, body: () => T): T;
}

/** What locks do about a key that the caller's own context holds already. */
export interface ReentryOptions {
  /** Follows the callers. */
  readonly storage: ContextStorage;
  /** True: the caller gets the hold once more. False: the caller waits, and a warning says so. */
  readonly reenters: boolean;
}

/** Makes what `Locks` on a backend know of their callers' contexts. */
export type Reentry = (backend: string, emit: (event: LockEvent) => void) => HoldContext;

/** How a body holds. */
export interface Holding {
  readonly mode?: HoldMode | undefined;
  /** Where its call is. */
  readonly place: Error | undefined;
  /** True for the body of an election: it ends with its lease, so nobody enters that again. */
  readonly leads?: boolean;
}

/** A body of `use`, `tryUse` or `elect` that runs, and the lease that it runs under. */
export class HoldFrame {
  /** Undefined once it is known to have ended. */
  lease: HeldLease | HeldMultiLease | undefined;
  holding: Holding;
  /** The latest re-entry from this very body. */
  again: HeldLease | undefined;
  #outer: HoldFrame | undefined;

  constructor(outer: HoldFrame | undefined, lease: HeldLease | HeldMultiLease, holding: Holding) {
    this.#outer = outer;
    this.lease = lease;
    this.holding = holding;
  }

  /** The next body around it whose hold has not ended. A job that starts its next run is in a chain without end. */
  get outer(): HoldFrame | undefined {
    this.#outer = heldFrom(this.#outer);
    return this.#outer;
  }

  /** From now on the body runs under this lease, which goes on where its own ended. */
  continueUnder(lease: HeldLease, mode: HoldMode): void {
    this.lease = lease;
    this.holding = { ...this.holding, mode };
  }

  holds(key: string): boolean {
    const { lease } = this;
    return lease !== undefined && ('keys' in lease ? lease.keys.includes(key) : lease.key === key);
  }

  /** The lease that a call for this key can enter again. Permits are not: another one of a semaphore is no re-entry. */
  enterable(key: string): HeldLease | undefined {
    const { lease, holding } = this;
    if (lease === undefined || 'keys' in lease || lease.key !== key) return undefined;
    return holding.mode?.kind === 'permits' || holding.leads === true ? undefined : lease;
  }

  get isHeld(): boolean {
    if (this.lease?.state === 'held') return true;
    // The promise of its release keeps the context of that call, and so the body around it.
    this.lease = undefined;
    this.again = undefined;
    return false;
  }
}

/** This body, or the next one around it whose hold has not ended. */
function heldFrom(innermost: HoldFrame | undefined): HoldFrame | undefined {
  let frame = innermost;
  while (frame !== undefined && !frame.isHeld) frame = frame.outer;
  return frame;
}

/** Knows which keys the caller's context holds: those of the bodies around it. */
export class HoldContext {
  readonly #reentry: ReentryOptions;
  readonly #backend: string;
  readonly #emit: (event: LockEvent) => void;

  constructor(reentry: ReentryOptions, backend: string, emit: (event: LockEvent) => void) {
    this.#reentry = reentry;
    this.#backend = backend;
    this.#emit = emit;
  }

  /** Where a call of the user's code is. */
  place(): Error {
    return new Error('here');
  }

  /** `body`, within which `lease` is known. */
  within<L, T>(
    lease: HeldLease | HeldMultiLease,
    holding: Holding,
    body: (lease: L) => T,
  ): (lease: L) => T {
    const { storage } = this.#reentry;
    const outer = heldFrom(this.#innermost());
    return (given) => storage.run(new HoldFrame(outer, lease, holding), () => body(given));
  }

  /**
   * Another handle on the hold of the caller's own context; undefined if it holds nothing of this key, or is to wait for it.
   * @throws ConcurrentReentryError, CapabilityError
   */
  reenter(key: string, mode: HoldMode | undefined): HeldLease | undefined {
    if (!this.#reentry.reenters || mode?.kind === 'permits') return undefined;
    for (const frame of this.#frames()) {
      const lease = frame.enterable(key);
      if (lease === undefined) continue;
      const details = { key, backend: this.#backend };
      const isReader = frame.holding.mode?.kind === 'shared';
      if (isReader && mode?.kind !== 'shared') throw upgradeError(details);
      if (frame.again?.state === 'held') throw new ConcurrentReentryError(details);
      frame.again = reenterLease(lease);
      return frame.again;
    }
    return undefined;
  }

  /** Warns of each key for which a caller that is about to wait may wait for itself. */
  warnOfOwn(keys: KeyOrKeys, mode: HoldMode | undefined): void {
    for (const key of typeof keys === 'string' ? [keys] : keys) {
      const own = this.#inTheWay(key, mode);
      if (own !== undefined) this.#warn(key, own);
    }
  }

  /** The body around the caller that runs under this lease. */
  frameOf(lease: HeldLease): HoldFrame | undefined {
    let frame = this.#innermost();
    while (frame !== undefined && frame.lease !== lease) frame = frame.outer;
    return frame;
  }

  #innermost(): HoldFrame | undefined {
    const value = this.#reentry.storage.getStore();
    return value instanceof HoldFrame ? value : undefined;
  }

  /** The bodies around the caller whose holds have not ended, the innermost first. */
  *#frames(): Generator<HoldFrame> {
    for (let frame = heldFrom(this.#innermost()); frame !== undefined; frame = frame.outer)
      yield frame;
  }

  /** The innermost body whose hold a request for this key may wait for; permits of one semaphore fit beside each other. */
  #inTheWay(key: string, mode: HoldMode | undefined): HoldFrame | undefined {
    let used = mode?.kind === 'permits' ? mode.permits : 0;
    for (const frame of this.#frames()) {
      if (!frame.holds(key)) continue;
      const { mode: own } = frame.holding;
      if (own?.kind !== 'permits' || mode?.kind !== 'permits') return frame;
      used += own.permits;
      if (used > Math.min(own.of, mode.of)) return frame;
    }
    return undefined;
  }

  #warn(key: string, { holding }: HoldFrame): void {
    const inner = lineOf(this.place());
    const message = `'${key}' is held by the caller's own context, which can wait for itself: taken at ${lineOf(holding.place)}, requested again at ${inner}`;
    this.#emit({ type: 'warning', backend: this.#backend, code: 'SELF_WAIT', message, key });
  }
}

/** The error for a reader that wants to write. */
function upgradeError(details: {
  readonly key: string;
  readonly backend: string;
}): CapabilityError {
  const message = `a reader of '${details.key}' cannot become its writer: two readers that want to would wait for each other; release it, then write`;
  return new CapabilityError(message, details);
}

/** Frames of this library in a stack. */
const OWN = /[\\/](?:@holdfast[\\/]|packages[\\/])(?:core|holdfast)[\\/](?:src|dist)/;

/** The place of the user's code in a stack; the whole stack if it has none. */
function lineOf(error: Error | undefined): string {
  const lines = (error?.stack ?? '').split('\n').slice(1);
  const own = lines.find((line) => !OWN.test(line)) ?? lines[0];
  return own?.trim().replace(/^at /, '') ?? 'an unknown place';
}
