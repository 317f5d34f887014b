import type { MultiLease } from './api/lease.ts';
import type { Background } from './background.ts';
import { type LockError, LockLostError } from './errors.ts';
import type { Inspect } from './lease.ts';
import type { LeaseController } from './lease-controller.ts';
import { checkOptions, OPTION_NAMES } from './options.ts';
import type { Release } from './port.ts';
import { extendLease } from './requested-renewal.ts';

/** The state of a lease on several keys. Each part is an ordinary lease on one of them. */
export class MultiLeaseController {
  readonly keys: readonly string[];
  readonly backend: string;
  readonly parts: LeaseController[] = [];
  readonly #background: Background;
  readonly #stopWaiting: (reason: LockError) => void;
  /** The first part that was lost. */
  #lost: LeaseController | undefined;
  /** A part that the store no longer had when it was released. */
  #missing: LeaseController | undefined;
  #abortController: AbortController | undefined;
  #release: Promise<Release> | undefined;
  #fencingTokens: ReadonlyMap<string, bigint | undefined> | undefined;

  /** `stopWaiting` ends the wait for the next key when one that is already taken is lost. */
  constructor(
    keys: readonly string[],
    backend: string,
    background: Background,
    stopWaiting: (reason: LockError) => void,
  ) {
    this.keys = keys;
    this.backend = backend;
    this.#background = background;
    this.#stopWaiting = stopWaiting;
  }

  /**
   * Ends the acquisition: from here on the lease is renewed, and capped, as its holder requested.
   * @throws LockLostError if it was lost already
   */
  begin(renew: boolean, maxHoldMs: number): void {
    if (this.state !== 'held') throw this.lossError();
    if (renew && maxHoldMs === Number.POSITIVE_INFINITY) return;
    // The cap counts from the last grant.
    const heldMs = this.parts.map(({ clock }) => clock.heldMs());
    const lastMs = Math.min(...heldMs);
    for (const [at, part] of this.parts.entries())
      part.watchdog.begin(renew, maxHoldMs + (heldMs[at] ?? lastMs) - lastMs);
  }

  get state(): 'held' | 'lost' | 'released' {
    if (this.#lost !== undefined) return 'lost';
    if (this.#release !== undefined) return 'released';
    return this.parts.every(({ state }) => state === 'held') ? 'held' : 'lost';
  }

  /** True if a part was lost rather than released; known without reading the clocks. */
  get hasLostPart(): boolean {
    return this.#lost !== undefined;
  }

  get fencingTokens(): ReadonlyMap<string, bigint | undefined> {
    this.#fencingTokens ??= new Map(this.parts.map(({ key, grant }) => [key, grant.fencingToken]));
    return this.#fencingTokens;
  }

  /** Once it has been read, the parts are kept and renewed until they are released or lost, whatever is collected. */
  get signal(): AbortSignal {
    if (this.#abortController === undefined) {
      this.#abortController = new AbortController();
      const aborted = this.parts.map(({ signal }) => signal).find((each) => each.aborted);
      if (aborted !== undefined) this.#abortController.abort(aborted.reason);
    }
    return this.#abortController.signal;
  }

  remainingMs(): number {
    if (this.state !== 'held') return 0;
    return Math.min(...this.parts.map((part) => part.remainingMs()));
  }

  /** The error for a caller that relies on a lease that is not held. It names the key that was lost first. */
  lossError(details: { readonly result?: unknown } = {}): LockLostError {
    const [first] = this.parts;
    const lost = this.#lost ?? this.#missing ?? this.parts.find(isLost) ?? first;
    if (lost === undefined) throw new TypeError('a lease without parts');
    return lost.lossError(details);
  }

  /** Called when a part is lost, which is the loss of all; or when the locks close. */
  onAbort(key: string, reason: LockError): void {
    this.#abortController?.abort(reason);
    if (!(reason instanceof LockLostError)) return;
    this.#lost ??= this.parts.find((part) => part.key === key);
    this.#stopWaiting(reason);
    this.#background.add(this.releaseParts());
  }

  release(): Promise<Release> {
    if (this.state === 'lost') return Promise.resolve({ kind: 'not-held' });
    this.#release ??= this.releaseParts();
    return this.#release;
  }

  /** Ends the lease, but keeps every key taken until `keepMs` after the last grant; see `TryUseOptions.keepMs`. */
  releaseAfter(keepMs: number): Promise<Release> {
    if (this.state !== 'held') return this.release();
    const grantedMs = Math.max(...this.parts.map((part) => part.grantedMs));
    this.#release = this.#worstOf((part) => part.releaseAfter(keepMs + grantedMs - part.grantedMs));
    return this.#release;
  }

  /** See `MultiLease.extend`. */
  async extend(ttlMs: number): Promise<void> {
    if (this.state !== 'held') throw this.lossError();
    const outcomes = await Promise.allSettled(this.parts.map((part) => extendLease(part, ttlMs)));
    if (this.state !== 'held') throw this.lossError();
    for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
  }

  /** Releases what is held, also where it is not all. Never rejects. */
  releaseParts(): Promise<Release> {
    return this.#worstOf((part) => part.release());
  }

  async #worstOf(end: (part: LeaseController) => Promise<Release>): Promise<Release> {
    const releases = await Promise.all(
      this.parts.map(async (part) => {
        const release = await end(part);
        if (release.kind === 'not-held') this.#missing ??= part;
        return release;
      }),
    );
    return worstRelease(releases);
  }
}

/**
 * The outcome of several releases as one: `unknown` if one is, else `not-held` if one is.
 * @example
 * ```ts
 * const releases = await Promise.all(grants.map((grant) => grant.release()));
 * return worstRelease(releases);
 * ```
 */
export function worstRelease(releases: readonly Release[]): Release {
  const worst =
    releases.find(({ kind }) => kind === 'unknown') ??
    releases.find(({ kind }) => kind === 'not-held');
  return worst ?? { kind: 'released' };
}

function isLost({ state }: LeaseController): boolean {
  return state === 'lost';
}

/** The controller of a lease on several keys; assigned by {@link HeldMultiLease}. */
export let multiControllerOf: (lease: HeldMultiLease) => MultiLeaseController;

/** The handle that users see on a lease on several keys. While it is referenced, all its parts are renewed. */
export class HeldMultiLease implements MultiLease {
  readonly #controller: MultiLeaseController;

  constructor(controller: MultiLeaseController) {
    this.#controller = controller;
  }

  get keys(): readonly string[] {
    return this.#controller.keys;
  }

  get fencingTokens(): ReadonlyMap<string, bigint | undefined> {
    return this.#controller.fencingTokens;
  }

  get state(): 'held' | 'lost' | 'released' {
    return this.#controller.state;
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  get remainingMs(): () => number {
    return () => this.#controller.remainingMs();
  }

  get assertHeld(): () => void {
    return () => {
      if (this.#controller.remainingMs() <= 0) throw this.#controller.lossError();
    };
  }

  get extend(): (ttlMs: number) => Promise<void> {
    return async (ttlMs) => {
      const details = { backend: this.#controller.backend };
      checkOptions({ ttlMs: ttlMs ?? Number.NaN }, OPTION_NAMES.tryAcquire, details);
      await this.#controller.extend(ttlMs);
    };
  }

  get release(): () => Promise<Release> {
    return () => this.#controller.release();
  }

  get [Symbol.asyncDispose](): () => Promise<void> {
    return async () => void (await this.#controller.release());
  }

  /** The output of `console.log`. */
  #describe(options: object, inspect: Inspect): string {
    const { keys, state, fencingTokens } = this;
    const { backend } = this.#controller;
    const remainingMs = Math.round(this.#controller.remainingMs());
    const hasTokens = [...fencingTokens.values()].some((token) => token !== undefined);
    const tokens = hasTokens ? { fencingTokens } : {};
    return `MultiLease ${inspect({ keys, state, remainingMs, ...tokens, backend }, options)}`;
  }

  static {
    multiControllerOf = (lease) => lease.#controller;
    Object.defineProperty(this.prototype, Symbol.for('nodejs.util.inspect.custom'), {
      value(this: HeldMultiLease, _depth: number, options: object, inspect: Inspect): string {
        return this.#describe(options, inspect);
      },
    });
  }
}
