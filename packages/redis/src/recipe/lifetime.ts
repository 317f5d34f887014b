import { callDeadlineMs, driftMs, type Instant, type Runtime } from '@holdfast/core/backend';
import type { Script, Undo } from '../port.ts';

/** The time within which a value that one call stored expires: an estimate, since a network may deliver a request late. */
export interface Lifetime {
  /** The instant at which the call left. */
  readonly from: Instant;
  /** How long from then, in ms. */
  readonly ms: number;
}

/**
 * Counts the time until the call's deadline, when it may still arrive, then the ttl by a clock that runs slower than ours.
 * @example
 * ```ts
 * const lifetime = lifetimeOf(host.runtime.now(), ttlMs); // before the call is sent
 * const undo = undoBy(RELEASE, [key], owner, lifetime);
 * ```
 */
export function lifetimeOf(from: Instant, ttlMs: number): Lifetime {
  return { from, ms: callDeadlineMs(ttlMs) + ttlMs + driftMs(ttlMs) };
}

/**
 * Returns how many ms longer the value may be stored; never negative. Uses the monotonic clock alone: if the wall clock
 * jumps ahead the server's time has not passed, and a value that is forgotten too early is never released.
 * @example
 * ```ts
 * const lifetime = lifetimeOf(host.runtime.now(), ttlMs);
 * const withdrawal = { kind: 'unknown', untilMs: leftMs(lifetime, host.runtime) };
 * ```
 */
export function leftMs({ from, ms }: Lifetime, runtime: Runtime): number {
  return Math.max(0, ms - (runtime.now().monotonicMs - from.monotonicMs));
}

/**
 * Returns the undo of a call by `script`, which is kept for as long as the call's value may be stored.
 * @example
 * ```ts
 * const undo = undoBy(RELEASE, [key], owner, lifetimeOf(host.runtime.now(), ttlMs));
 * await node.script(ACQUIRE, [key], [owner, `${ttlMs}`], { deadlineMs, undo });
 * ```
 */
export function undoBy(
  script: Script,
  keys: readonly string[],
  owner: string,
  lifetime: Lifetime,
): Undo {
  return new ScriptUndo(script, keys, owner, lifetime);
}

class ScriptUndo implements Undo {
  readonly script: Script;
  readonly keepUntilMs: number;
  readonly #keys: readonly string[];
  readonly #owner: string;

  constructor(script: Script, keys: readonly string[], owner: string, { from, ms }: Lifetime) {
    this.script = script;
    this.keepUntilMs = from.monotonicMs + ms;
    this.#keys = keys;
    this.#owner = owner;
  }

  /** Made only when it is needed, which is rarely. */
  get args(): readonly string[] {
    const keys = this.#keys;
    return ['EVAL', this.script.source, `${keys.length}`, ...keys, this.#owner];
  }
}
