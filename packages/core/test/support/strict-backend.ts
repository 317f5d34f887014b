import {
  type Attempt,
  type Backend,
  type BackendCloseOptions,
  type Capabilities,
  type Contender,
  type ContendRequest,
  type Grant,
  type Release,
  type Renewal,
  validityMs,
  type Withdrawal,
} from '@holdfast/core';
import type { Random, SimProcess } from '@holdfast/harness/simulator';

/** What became of one contender, as the backend sees it. */
interface Fate {
  readonly id: string;
  state: 'idle' | 'attempting' | 'withdrawing' | 'withdrawn' | 'granted' | 'released' | 'left';
  renewing: boolean;
}

/** A backend that answers at random, within its contract, and complains when core does not keep its own part. */
export class StrictBackend implements Backend {
  readonly name = 'strict';
  readonly capabilities: Capabilities;
  readonly wrong: string[] = [];
  /** From here on every attempt is granted, and every renewal. */
  isCalm = false;
  readonly #process: SimProcess;
  readonly #draw: Random;
  readonly #wakes: boolean;
  readonly #fates: Fate[] = [];

  constructor(process: SimProcess, draw: Random) {
    this.#process = process;
    this.#draw = draw;
    this.#wakes = draw.below(2) === 0;
    this.capabilities = {
      lease: 'per-call-ttl',
      timeAuthority: 'server',
      consistency: 'cp',
      fencing: 'none',
      queue: draw.below(2) === 0 ? 'none' : 'fifo',
      wakeUp: this.#wakes ? 'push' : 'poll',
    };
  }

  /** To be asked when everything has settled. */
  get complaints(): string[] {
    return [...this.wrong, ...this.#loose];
  }

  contend(request: ContendRequest): Contender {
    const fate: Fate = { id: request.contender, state: 'idle', renewing: false };
    const before = this.#fates.find(({ state }) => state !== 'withdrawn' && state !== 'released');
    if (this.capabilities.queue === 'none' && before !== undefined)
      this.wrong.push(`${fate.id} contended while ${before.id} was ${before.state}`);
    if (this.#fates.some(({ id }) => id === fate.id)) this.wrong.push(`${fate.id} came twice`);
    this.#fates.push(fate);
    return {
      attempt: (deadlineMs) => this.#attempt(fate, request, deadlineMs),
      withdraw: () => this.#withdraw(fate),
      ...(this.#wakes && { changed: (signal) => this.#changed(signal) }),
    };
  }

  /** By now everything has been given back but what is held still, since no call takes as long as `close` waits. */
  async close({ leavesHolds = false }: BackendCloseOptions = {}): Promise<void> {
    const held = this.#fates.filter(({ state }) => state === 'granted');
    if (leavesHolds && held.length === 0) this.wrong.push('told of holds that there are not');
    if (leavesHolds) for (const fate of held) fate.state = 'left';
    this.wrong.push(...this.#loose.map((fate) => `closed while ${fate}`));
  }

  get #loose(): string[] {
    return this.#fates
      .filter(({ state }) => !['withdrawn', 'released', 'left'].includes(state))
      .map(({ id, state }) => `${id} was ${state}`);
  }

  async #attempt(fate: Fate, request: ContendRequest, deadlineMs: number): Promise<Attempt> {
    this.#expect(fate, 'idle', 'attempt');
    fate.state = 'attempting';
    const from = this.#process.clocks;
    const longestMs = Math.min(deadlineMs - from.monotonicMs, 60);
    if (!Number.isFinite(deadlineMs)) this.wrong.push('an attempt without a deadline');
    const answer = this.isCalm ? 1 : this.#draw.below(8);
    await this.#process.sleep(this.#draw.below(Math.max(1, longestMs)));
    fate.state = answer < 3 ? 'granted' : 'idle';
    if (answer < 3) {
      const ms = answer === 0 ? 20 : validityMs(request.ttlMs ?? 500);
      return { kind: 'granted', grant: this.#grant(fate, { from, ms }) };
    }
    const pauseMs = this.#draw.below(200);
    if (answer === 3) return { kind: 'unknown', cause: new Error('no reply') };
    if (answer === 4) return { kind: 'unavailable', cause: new Error('connection refused') };
    if (answer === 5) return { kind: 'busy', notBeforeMs: pauseMs };
    return { kind: 'busy', retryAfterMs: pauseMs, holderRemainingMs: pauseMs };
  }

  #grant(fate: Fate, validity: Grant['validity']): Grant {
    return {
      owner: `${fate.id}:1:p`,
      leaseMs: 500,
      validity,
      renew: () => this.#renew(fate),
      release: () => this.#release(fate),
    };
  }

  async #renew(fate: Fate): Promise<Renewal> {
    this.#expect(fate, 'granted', 'renew');
    if (fate.renewing) this.wrong.push(`${fate.id} renews twice at once`);
    fate.renewing = true;
    const from = this.#process.clocks;
    await this.#process.sleep(this.#draw.below(400));
    fate.renewing = false;
    const answer = this.isCalm ? 2 : this.#draw.below(4);
    if (answer === 0) return { kind: 'lost' };
    if (answer === 1) return { kind: 'unknown', cause: new Error('no reply') };
    return { kind: 'renewed', validity: { from, ms: validityMs(500) } };
  }

  async #release(fate: Fate): Promise<Release> {
    this.#expect(fate, 'granted', 'release');
    fate.state = 'released';
    await this.#process.sleep(this.#draw.below(60));
    return { kind: this.#draw.below(2) === 0 ? 'released' : 'not-held' };
  }

  async #withdraw(fate: Fate): Promise<Withdrawal> {
    this.#expect(fate, 'idle', 'withdraw');
    fate.state = 'withdrawing';
    await this.#process.sleep(this.#draw.below(60));
    fate.state = 'withdrawn';
    return this.#draw.below(2) === 0 ? { kind: 'clean' } : { kind: 'unknown', untilMs: 500 };
  }

  async #changed(signal: AbortSignal): Promise<void> {
    await new Promise<void>((resolve) => {
      signal.addEventListener('abort', () => resolve());
      void this.#process.sleep(1 + this.#draw.below(300)).then(resolve);
    });
  }

  #expect({ id, state }: Fate, wanted: Fate['state'], call: string): void {
    if (state !== wanted) this.wrong.push(`${id}: ${call} while ${state}`);
  }
}
