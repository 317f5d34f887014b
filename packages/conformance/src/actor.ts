import type {
  Attempt,
  Backend,
  Capabilities,
  Contender,
  Grant,
  Release,
  Renewal,
  Runtime,
} from '@holdfast/core';
import { assertRule, Breach, Inapplicable, shown } from './breach.ts';

/** Longer than an attempt takes anywhere. */
const ATTEMPT_MS = 10_000;
/** How long a store that does not answer, or a key that should come free, is waited for. */
const PATIENCE_MS = 30_000;
const PAUSE_MS = 20;

/** An attempt that was answered. */
export type AnsweredAttempt = Extract<Attempt, { readonly kind: 'granted' | 'busy' | 'refused' }>;

/** One process that locks through the backend. */
export class Actor {
  readonly name: string;
  readonly backend: Backend;
  readonly runtime: Runtime;
  readonly #capabilities: Capabilities;

  constructor(name: string, backend: Backend, runtime: Runtime, capabilities: Capabilities) {
    this.name = name;
    this.backend = backend;
    this.runtime = runtime;
    this.#capabilities = capabilities;
  }

  /** A fresh contender. `ttlMs` is dropped where a session has it. */
  contend(key: string, ttlMs: number): Contender {
    const contender = this.runtime.randomId();
    const hasTtl = this.#capabilities.lease === 'per-call-ttl';
    return this.backend.contend({ key, contender, ...(hasTtl && { ttlMs }) });
  }

  /** Tries, again and again while the store does not answer, until there is an answer. */
  async answer(contender: Contender): Promise<AnsweredAttempt> {
    const from = this.runtime.now();
    for (;;) {
      const outcome = await contender.attempt(this.inMs(ATTEMPT_MS));
      if (outcome.kind !== 'unknown' && outcome.kind !== 'unavailable') return outcome;
      if (this.runtime.elapsedMs(from) > PATIENCE_MS)
        throw new Breach(`${this.name} got no answer: ${shown(outcome)}`);
      await this.sleep(PAUSE_MS);
    }
  }

  /** Asks for the key by a contender of its own, which withdraws if it does not get it. */
  async ask(key: string, ttlMs: number): Promise<AnsweredAttempt> {
    const contender = this.contend(key, ttlMs);
    const answer = await this.answer(contender);
    if (answer.kind !== 'granted') await contender.withdraw();
    return answer;
  }

  /** Must be granted at the first answer, because `why`. */
  async getsAtOnce(key: string, ttlMs: number, why: string): Promise<Grant> {
    const answer = await this.ask(key, ttlMs);
    assertRule(answer.kind === 'granted', `${why}, but ${this.name} was answered ${shown(answer)}`);
    return answer.grant;
  }

  /** Must be told that somebody holds the key, because `why`. */
  async isToldBusy(key: string, ttlMs: number, why: string): Promise<void> {
    const answer = await this.ask(key, ttlMs);
    assertRule(
      answer.kind === 'busy',
      `${why}, but ${this.name} was answered ${shown(answer.kind)}`,
    );
  }

  /** Waits its turn, as the answers say, until it is granted. */
  async get(contender: Contender): Promise<Grant> {
    const from = this.runtime.now();
    for (;;) {
      const answer = await this.answer(contender);
      if (answer.kind === 'granted') return answer.grant;
      if (answer.kind === 'refused') throw new Breach(`${this.name} was refused: ${shown(answer)}`);
      if (this.runtime.elapsedMs(from) > PATIENCE_MS)
        throw new Breach(`${this.name} never got the key: ${shown(answer)}`);
      await this.sleep(Math.max(PAUSE_MS, answer.notBeforeMs ?? 0));
    }
  }

  /** Takes the key, however long it is held by somebody whose lease ends. */
  async take(key: string, ttlMs: number): Promise<Grant> {
    return await this.get(this.contend(key, ttlMs));
  }

  /** Renews; again while the store does not answer. @throws Inapplicable for a fixed lease */
  async renew(grant: Grant, ttlMs: number): Promise<Renewal> {
    const renew = grant.renew?.bind(grant);
    if (renew === undefined) throw new Inapplicable('its leases are fixed: they cannot be renewed');
    return await this.#definite(() => renew(ttlMs));
  }

  /** Releases; again while the store does not answer. */
  async release(grant: Grant): Promise<Release> {
    return await this.#definite(() => grant.release());
  }

  sleep(ms: number): Promise<void> {
    return new Promise((resume) => {
      this.runtime.timer(ms, resume, { awaited: true });
    });
  }

  /** A deadline that far from now. */
  inMs(ms: number): number {
    return this.runtime.now().monotonicMs + ms;
  }

  async #definite<T extends Renewal | Release>(ask: () => Promise<T>): Promise<T> {
    const from = this.runtime.now();
    for (;;) {
      const outcome = await ask();
      if (outcome.kind !== 'unknown') return outcome;
      if (this.runtime.elapsedMs(from) > PATIENCE_MS)
        throw new Breach(`${this.name} got no answer: ${shown(outcome)}`);
      await this.sleep(PAUSE_MS);
    }
  }
}
