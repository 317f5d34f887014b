import type {
  Attempt,
  Backend,
  Capabilities,
  Contender,
  Grant,
  HoldMode,
  Release,
  Renewal,
  Runtime,
} from '@holdfast/core/backend';
import { assertRule, Breach, Inapplicable, textOf } from './breach.ts';

/** Longer than any attempt takes. */
const ATTEMPT_MS = 10_000;
/** Limit of the wait for a store that does not reply, or for a key that should become free. */
const PATIENCE_MS = 30_000;
const PAUSE_MS = 20;

/** An attempt with a definite outcome. */
export type DefiniteAttempt = Extract<Attempt, { readonly kind: 'granted' | 'busy' | 'refused' }>;

/** One process that locks through the backend. */
export class Actor {
  readonly name: string;
  readonly backend: Backend;
  readonly runtime: Runtime;
  /** The codes of the warnings that its backend has emitted. */
  readonly warnings: readonly string[];
  readonly #capabilities: Capabilities;

  constructor(
    name: string,
    at: Pick<Actor, 'backend' | 'runtime' | 'warnings'>,
    capabilities: Capabilities,
  ) {
    this.name = name;
    this.backend = at.backend;
    this.runtime = at.runtime;
    this.warnings = at.warnings;
    this.#capabilities = capabilities;
  }

  /** Creates a contender. `ttlMs` is omitted on session backends. */
  contend(key: string, ttlMs: number, mode?: HoldMode): Contender {
    const contender = this.runtime.randomId();
    const hasTtl = this.#capabilities.lease === 'per-call-ttl';
    return this.backend.contend({
      key,
      contender,
      ...(hasTtl && { ttlMs }),
      ...(mode && { mode }),
    });
  }

  /** Creates a contender for several keys, sorted; undefined if the backend has none. */
  contendAll(keys: readonly string[], ttlMs: number): Contender | undefined {
    const contender = this.runtime.randomId();
    const hasTtl = this.#capabilities.lease === 'per-call-ttl';
    return this.backend.contendAll?.({ keys, contender, ...(hasTtl && { ttlMs }) });
  }

  /** Exports a grant. @throws Inapplicable for a backend that can hand no lease over */
  exportOf(grant: Grant): string {
    const canAdopt = this.backend.adopt !== undefined;
    const canExport = grant.export !== undefined;
    assertRule(canAdopt === canExport, 'it can export a hold exactly if it can adopt one');
    if (grant.export === undefined) throw new Inapplicable('it can hand no lease over');
    return grant.export();
  }

  /** Creates a contender for an exported hold. @throws Inapplicable for a backend that can hand no lease over */
  adopter(key: string, exported: string, ttlMs: number, mode?: HoldMode): Contender {
    const contender = this.runtime.randomId();
    const adopter = this.backend.adopt?.({
      key,
      contender,
      exported,
      ttlMs,
      ...(mode && { mode }),
    });
    if (adopter === undefined) throw new Inapplicable('it can hand no lease over');
    return adopter;
  }

  /** Adopts by a new contender, which withdraws if it is not granted the hold. */
  async adopt(
    key: string,
    exported: string,
    ttlMs: number,
    mode?: HoldMode,
  ): Promise<DefiniteAttempt> {
    const contender = this.adopter(key, exported, ttlMs, mode);
    const outcome = await this.definiteAttempt(contender);
    if (outcome.kind !== 'granted') await contender.withdraw();
    return outcome;
  }

  /** Attempts until the outcome is definite, since the store may not reply. */
  async definiteAttempt(contender: Contender): Promise<DefiniteAttempt> {
    const from = this.runtime.now();
    for (;;) {
      const outcome = await contender.attempt(this.inMs(ATTEMPT_MS));
      if (outcome.kind !== 'unknown' && outcome.kind !== 'unavailable') return outcome;
      if (this.runtime.elapsedMs(from) > PATIENCE_MS)
        throw new Breach(`${this.name} received no reply: ${textOf(outcome)}`);
      await this.sleep(PAUSE_MS);
    }
  }

  /** Attempts by a new contender, which withdraws if it is not granted the key. */
  async tryAcquire(key: string, ttlMs: number, mode?: HoldMode): Promise<DefiniteAttempt> {
    const contender = this.contend(key, ttlMs, mode);
    const outcome = await this.definiteAttempt(contender);
    if (outcome.kind !== 'granted') await contender.withdraw();
    return outcome;
  }

  /** Must be granted by the first definite attempt, because `why`. */
  async mustAcquire(key: string, ttlMs: number, why: string, mode?: HoldMode): Promise<Grant> {
    const outcome = await this.tryAcquire(key, ttlMs, mode);
    assertRule(outcome.kind === 'granted', `${why}, but ${this.name} received ${textOf(outcome)}`);
    return outcome.grant;
  }

  /** Must find the key busy, because `why`. */
  async mustFindBusy(key: string, ttlMs: number, why: string, mode?: HoldMode): Promise<void> {
    const outcome = await this.tryAcquire(key, ttlMs, mode);
    assertRule(
      outcome.kind === 'busy',
      `${why}, but ${this.name} received ${textOf(outcome.kind)}`,
    );
  }

  /** The next attempt of a contender must find the key busy, because `why`. */
  async mustWait(contender: Contender, why: string): Promise<void> {
    const { kind } = await this.definiteAttempt(contender);
    assertRule(kind === 'busy', `${why}, but ${this.name} received '${kind}'`);
  }

  /** Waits until it is granted; the outcomes say how long to pause between attempts. */
  async waitForGrant(contender: Contender): Promise<Grant> {
    const from = this.runtime.now();
    for (;;) {
      const outcome = await this.definiteAttempt(contender);
      if (outcome.kind === 'granted') return outcome.grant;
      if (outcome.kind === 'refused')
        throw new Breach(`${this.name} was refused: ${textOf(outcome)}`);
      if (this.runtime.elapsedMs(from) > PATIENCE_MS)
        throw new Breach(`${this.name} never acquired the key: ${textOf(outcome)}`);
      await this.sleep(Math.max(PAUSE_MS, outcome.notBeforeMs ?? 0));
    }
  }

  /** Waits for the key, until the lease of its holder has ended, and acquires it. */
  async acquire(key: string, ttlMs: number): Promise<Grant> {
    return await this.waitForGrant(this.contend(key, ttlMs));
  }

  /** Renews until the outcome is definite. @throws Inapplicable for a fixed lease */
  async renew(grant: Grant, ttlMs: number): Promise<Renewal> {
    const renew = grant.renew?.bind(grant);
    if (renew === undefined) throw new Inapplicable('its leases are fixed: they cannot be renewed');
    return await this.#definite(() => renew(ttlMs));
  }

  /** Releases until the outcome is definite. */
  async release(grant: Grant): Promise<Release> {
    return await this.#definite(() => grant.release());
  }

  sleep(ms: number): Promise<void> {
    return new Promise((resume) => {
      this.runtime.timer(ms, resume, { awaited: true });
    });
  }

  /** The deadline `ms` from now. */
  inMs(ms: number): number {
    return this.runtime.now().monotonicMs + ms;
  }

  async #definite<T extends Renewal | Release>(send: () => Promise<T>): Promise<T> {
    const from = this.runtime.now();
    for (;;) {
      const outcome = await send();
      if (outcome.kind !== 'unknown') return outcome;
      if (this.runtime.elapsedMs(from) > PATIENCE_MS)
        throw new Breach(`${this.name} received no reply: ${textOf(outcome)}`);
      await this.sleep(PAUSE_MS);
    }
  }
}
