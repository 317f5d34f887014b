import type { LockEvent } from '@holdfast/core';
import type { Attempt, Backend, Contender, Grant, HoldMode, Host } from '@holdfast/core/backend';
import { VirtualRuntime } from '../../../core/test/kit/virtual-runtime.ts';
import { openZk, type ZkOptions } from '../../src/open.ts';
import { SessionUnavailable } from '../../src/port.ts';
import { HandSession } from './hand-session.ts';
import { HandTree } from './hand-tree.ts';

/** T of all sessions. */
export const T_MS = 12_000;
/** Longer than any work here. */
const LONGEST_MS = 30_000;
const FOREVER_MS = Number.MAX_SAFE_INTEGER;
export const CONTAINER = '/holdfast/v1/locks/k';

/** One process with its sessions, one after the other. */
export class Actor {
  readonly events: LockEvent[] = [];
  readonly sessions: HandSession[] = [];
  readonly host: Host;
  isDown = false;
  /** No further session is opened, because of this. */
  refusal: Error | undefined;
  /** Called whenever a session is requested. */
  onOpen: () => void = () => {};
  readonly #bench: Bench;
  #backend: Backend | undefined;

  constructor(bench: Bench, name: string) {
    this.#bench = bench;
    const emit = (event: LockEvent): void => void this.events.push(event);
    this.host = { runtime: bench.runtime, label: name, emit };
  }

  async open(options: Partial<ZkOptions> = {}): Promise<this> {
    const opening = this.#bench.open({ open: () => this.#session(), ...options }, this.host);
    this.#backend = await this.#bench.let(opening);
    return this;
  }

  get backend(): Backend {
    if (this.#backend === undefined) throw new Error('not open');
    return this.#backend;
  }

  /** The current session. */
  get session(): HandSession {
    const session = this.sessions.at(-1);
    if (session === undefined) throw new Error('no session');
    return session;
  }

  /** The requests of its current session since the last call. */
  requests(): string[] {
    return this.session.requests.splice(0);
  }

  contend(contender: string, key = 'k', mode?: HoldMode): Required<Contender> {
    const request = { key, contender, ...(mode && { mode }) };
    return this.backend.contend(request) as Required<Contender>;
  }

  /** Makes one attempt, and lets as much time pass as it needs. */
  attempt(contender: Contender): Promise<Attempt> {
    return this.#bench.let(contender.attempt(FOREVER_MS));
  }

  /** Returns the grant; throws if there is none. */
  async granted(contender: Contender): Promise<Required<Grant>> {
    const attempt = await this.attempt(contender);
    if (attempt.kind !== 'granted') throw new Error(`not granted: ${attempt.kind}`);
    return attempt.grant as Required<Grant>;
  }

  take(contender: string, key?: string): Promise<Required<Grant>> {
    return this.granted(this.contend(contender, key));
  }

  /** Holds the key once, so that its container exists. */
  async warm(): Promise<void> {
    const grant = await this.take('warm');
    await this.#bench.let(grant.release());
  }

  /** Waits as core does, until something has changed. */
  async change(contender: Required<Contender>): Promise<void> {
    await this.#bench.let(contender.changed(new AbortController().signal));
  }

  warnings(): string[] {
    return this.events.flatMap((event) => (event.type === 'warning' ? [event.code] : []));
  }

  async #session(): Promise<HandSession> {
    this.onOpen();
    if (this.refusal !== undefined) throw this.refusal;
    if (this.isDown) throw new SessionUnavailable('no server answered');
    const { tree, runtime } = this.#bench;
    const session = new HandSession(tree, runtime, this.#bench.nextId(), T_MS);
    this.sessions.push(session);
    return session;
  }
}

/** A tree by hand, in virtual time, and processes with the backend open over it. */
export class Bench {
  readonly runtime = new VirtualRuntime();
  readonly tree = new HandTree();
  readonly open: typeof openZk;
  #id = 0x100n;

  /** `open`: of another copy of the recipe. */
  constructor(open: typeof openZk = openZk) {
    this.open = open;
  }

  actor(name: string, options?: Partial<ZkOptions>): Promise<Actor> {
    return new Actor(this, name).open(options);
  }

  nextId(): bigint {
    this.#id += 1n;
    return this.#id;
  }

  /** The ids of the contenders in the queue of `k`. */
  get queue(): string[] {
    if (!this.tree.nodes.has(CONTAINER)) return [];
    return this.tree.children(CONTAINER).map((name) => name.replace(/-lock-.*/, ''));
  }

  /** Lets time pass, ms by ms, until it is settled. */
  async let<T>(work: Promise<T>): Promise<T> {
    const state = { isSettled: false };
    const settle = (): void => {
      state.isSettled = true;
    };
    work.then(settle, settle);
    await this.runtime.pass(0);
    for (let ms = 0; !state.isSettled; ms++) {
      if (ms > LONGEST_MS) throw new Error('it does not settle');
      await this.runtime.pass(1);
    }
    return await work;
  }
}
