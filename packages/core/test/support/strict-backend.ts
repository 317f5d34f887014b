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
} from '@holdfast/core/backend';
import type { Random, SimProcess } from '@holdfast/harness/simulator';

/** The state of one contender in the backend. */
interface ContenderState {
  readonly id: string;
  state: 'idle' | 'attempting' | 'withdrawing' | 'withdrawn' | 'granted' | 'released' | 'left';
  renewing: boolean;
}

/** A backend that replies at random, within its contract, and records each breach by core. */
export class StrictBackend implements Backend {
  readonly name = 'strict';
  readonly capabilities: Capabilities;
  readonly wrong: string[] = [];
  /** True: every attempt and every renewal succeeds. */
  isCalm = false;
  readonly #process: SimProcess;
  readonly #draw: Random;
  readonly #wakes: boolean;
  readonly #contenders: ContenderState[] = [];

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

  /** Read when everything has settled. */
  get complaints(): string[] {
    return [...this.wrong, ...this.#loose];
  }

  contend(request: ContendRequest): Contender {
    const contender: ContenderState = { id: request.contender, state: 'idle', renewing: false };
    const before = this.#contenders.find(
      ({ state }) => state !== 'withdrawn' && state !== 'released',
    );
    if (this.capabilities.queue === 'none' && before !== undefined)
      this.wrong.push(`${contender.id} contended while ${before.id} was ${before.state}`);
    if (this.#contenders.some(({ id }) => id === contender.id))
      this.wrong.push(`${contender.id} came twice`);
    this.#contenders.push(contender);
    return {
      attempt: (deadlineMs) => this.#attempt(contender, request, deadlineMs),
      withdraw: () => this.#withdraw(contender),
      ...(this.#wakes && { changed: (signal) => this.#changed(signal) }),
    };
  }

  /**
   * By now all keys have been released, except those still held, since every call is shorter than the wait of `close`.
   */
  async close({ leavesHolds = false }: BackendCloseOptions = {}): Promise<void> {
    const held = this.#contenders.filter(({ state }) => state === 'granted');
    if (leavesHolds && held.length === 0) this.wrong.push('leavesHolds without a hold');
    if (leavesHolds) for (const contender of held) contender.state = 'left';
    this.wrong.push(...this.#loose.map((contender) => `closed while ${contender}`));
  }

  get #loose(): string[] {
    return this.#contenders
      .filter(({ state }) => !['withdrawn', 'released', 'left'].includes(state))
      .map(({ id, state }) => `${id} was ${state}`);
  }

  async #attempt(
    contender: ContenderState,
    request: ContendRequest,
    deadlineMs: number,
  ): Promise<Attempt> {
    this.#expect(contender, 'idle', 'attempt');
    contender.state = 'attempting';
    const from = this.#process.clocks;
    const longestMs = Math.min(deadlineMs - from.monotonicMs, 60);
    if (!Number.isFinite(deadlineMs)) this.wrong.push('an attempt without a deadline');
    const outcome = this.isCalm ? 1 : this.#draw.below(8);
    await this.#process.sleep(this.#draw.below(Math.max(1, longestMs)));
    contender.state = outcome < 3 ? 'granted' : 'idle';
    if (outcome < 3) {
      const ms = outcome === 0 ? 20 : validityMs(request.ttlMs ?? 500);
      return { kind: 'granted', grant: this.#grant(contender, { from, ms }) };
    }
    const pauseMs = this.#draw.below(200);
    if (outcome === 3) return { kind: 'unknown', cause: new Error('no reply') };
    if (outcome === 4) return { kind: 'unavailable', cause: new Error('connection refused') };
    if (outcome === 5) return { kind: 'busy', notBeforeMs: pauseMs };
    return { kind: 'busy', retryAfterMs: pauseMs, holderRemainingMs: pauseMs };
  }

  #grant(contender: ContenderState, validity: Grant['validity']): Grant {
    return {
      owner: `${contender.id}:1:p`,
      leaseMs: 500,
      validity,
      renew: () => this.#renew(contender),
      release: () => this.#release(contender),
    };
  }

  async #renew(contender: ContenderState): Promise<Renewal> {
    this.#expect(contender, 'granted', 'renew');
    if (contender.renewing) this.wrong.push(`${contender.id} renews twice at once`);
    contender.renewing = true;
    const from = this.#process.clocks;
    await this.#process.sleep(this.#draw.below(400));
    contender.renewing = false;
    const outcome = this.isCalm ? 2 : this.#draw.below(4);
    if (outcome === 0) return { kind: 'lost' };
    if (outcome === 1) return { kind: 'unknown', cause: new Error('no reply') };
    return { kind: 'renewed', validity: { from, ms: validityMs(500) } };
  }

  async #release(contender: ContenderState): Promise<Release> {
    this.#expect(contender, 'granted', 'release');
    contender.state = 'released';
    await this.#process.sleep(this.#draw.below(60));
    return { kind: this.#draw.below(2) === 0 ? 'released' : 'not-held' };
  }

  async #withdraw(contender: ContenderState): Promise<Withdrawal> {
    this.#expect(contender, 'idle', 'withdraw');
    contender.state = 'withdrawing';
    await this.#process.sleep(this.#draw.below(60));
    contender.state = 'withdrawn';
    return this.#draw.below(2) === 0 ? { kind: 'clean' } : { kind: 'unknown', untilMs: 500 };
  }

  async #changed(signal: AbortSignal): Promise<void> {
    await new Promise<void>((resolve) => {
      signal.addEventListener('abort', () => resolve());
      void this.#process.sleep(1 + this.#draw.below(300)).then(resolve);
    });
  }

  #expect({ id, state }: ContenderState, wanted: ContenderState['state'], call: string): void {
    if (state !== wanted) this.wrong.push(`${id}: ${call} while ${state}`);
  }
}
