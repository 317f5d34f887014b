import { CapabilityError, ConcurrentReentryError } from './errors.ts';
import type { LockEvent } from './events.ts';
import { type HeldLease, reenterLease } from './lease.ts';
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

/** A body of `use` that runs, and the lease that it runs under. */
export class HoldFrame {
  /** Undefined once it is known to have ended. */
  lease: HeldLease | undefined;
  mode: HoldMode | undefined;
  readonly place: Error | undefined;
  /** The latest re-entry from this very body. */
  again: HeldLease | undefined;
  #outer: HoldFrame | undefined;

  constructor(
    outer: HoldFrame | undefined,
    lease: HeldLease,
    mode: HoldMode | undefined,
    place: Error | undefined,
  ) {
    this.#outer = outer;
    this.lease = lease;
    this.mode = mode;
    this.place = place;
  }

  /** The next body around it whose hold has not ended. A job that starts its next run is in a chain without end. */
  get outer(): HoldFrame | undefined {
    this.#outer = heldFrom(this.#outer);
    return this.#outer;
  }

  /** From now on the body runs under this lease, which goes on where its own ended. */
  continueUnder(lease: HeldLease, mode: HoldMode): void {
    this.lease = lease;
    this.mode = mode;
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

/** Knows which keys the caller's context holds: those of the bodies of `use` and `tryUse` around it. */
export class HoldContext {
  readonly #reentry: ReentryOptions;
  readonly #backend: string;
  readonly #emit: (event: LockEvent) => void;

  constructor(reentry: ReentryOptions, backend: string, emit: (event: LockEvent) => void) {
    this.#reentry = reentry;
    this.#backend = backend;
    this.#emit = emit;
  }

  /** Where a call of the user's code is; undefined if no warning will need it. */
  place(): Error | undefined {
    return this.#reentry.reenters ? undefined : new Error('here');
  }

  /** `body`, within which `lease` is known. Permits are not: another one of the same semaphore is no re-entry. */
  within<L, T>(
    lease: HeldLease,
    mode: HoldMode | undefined,
    place: Error | undefined,
    body: (lease: L) => T,
  ): (lease: L) => T {
    if (mode?.kind === 'permits') return body;
    const { storage } = this.#reentry;
    return (given) => storage.run(this.#frame(lease, mode, place), () => body(given));
  }

  /**
   * Another handle on the hold of the caller's own context; undefined if it holds nothing of this key, or is to wait for it.
   * @throws ConcurrentReentryError, CapabilityError
   */
  reenter(key: string, mode: HoldMode | undefined, waits: boolean): HeldLease | undefined {
    if (mode?.kind === 'permits') return undefined;
    const outer = this.#outer(key);
    if (outer?.lease === undefined) return undefined;
    if (!this.#reentry.reenters) {
      if (waits) this.#warn(key, outer);
      return undefined;
    }
    const details = { key, backend: this.#backend };
    if (outer.mode?.kind === 'shared' && mode?.kind !== 'shared') throw upgradeError(details);
    if (outer.again?.state === 'held') throw new ConcurrentReentryError(details);
    outer.again = reenterLease(outer.lease);
    return outer.again;
  }

  /** The body around the caller that runs under this lease. */
  frameOf(lease: HeldLease): HoldFrame | undefined {
    let frame = this.#innermost();
    while (frame !== undefined && frame.lease !== lease) frame = frame.outer;
    return frame;
  }

  #frame(lease: HeldLease, mode: HoldMode | undefined, place: Error | undefined): HoldFrame {
    return new HoldFrame(heldFrom(this.#innermost()), lease, mode, place);
  }

  #innermost(): HoldFrame | undefined {
    const value = this.#reentry.storage.getStore();
    return value instanceof HoldFrame ? value : undefined;
  }

  /** The innermost body around the caller whose hold on this key has not ended. */
  #outer(key: string): HoldFrame | undefined {
    let frame = heldFrom(this.#innermost());
    while (frame !== undefined && frame.lease?.key !== key) frame = frame.outer;
    return frame;
  }

  #warn(key: string, { place }: HoldFrame): void {
    const inner = lineOf(new Error('here'));
    const message = `'${key}' is held by the caller's own context, which can wait for itself: taken at ${lineOf(place)}, requested again at ${inner}`;
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
