import type { LockEvent } from '@holdfast/core';
import type { Attempt, Backend, Contender, Grant, Host } from '@holdfast/core/backend';
import { VirtualRuntime } from '../../../core/test/kit/virtual-runtime.ts';
import { openRedlock } from '../../src/open.ts';
import { VotingNode } from './voting-node.ts';

export const TTL_MS = 1_000;
/** A tenth of it: how long a node may take. */
export const CALL_MS = 100;
const FOREVER_MS = Number.MAX_SAFE_INTEGER;

/** Nodes by hand, in virtual time, and a backend over them. */
export class Bench {
  readonly runtime = new VirtualRuntime();
  readonly events: LockEvent[] = [];
  readonly nodes: readonly VotingNode[];
  readonly host: Host;

  #backend: Backend | undefined;

  private constructor(nodes: number) {
    this.nodes = Array.from(
      { length: nodes },
      (_, at) => new VotingNode(this.runtime, `n${at + 1}:6379`),
    );
    this.host = {
      runtime: this.runtime,
      label: 'box',
      emit: (event) => void this.events.push(event),
    };
  }

  static async open(nodes = 5): Promise<Bench> {
    const bench = new Bench(nodes);
    bench.#backend = await openRedlock({ nodes: bench.nodes }, bench.host);
    return bench;
  }

  get backend(): Backend {
    if (this.#backend === undefined) throw new Error('not open');
    return this.#backend;
  }

  contend(contender: string): Contender {
    return this.backend.contend({ key: 'k', contender, ttlMs: TTL_MS });
  }

  adopt(contender: string, exported: string): Contender {
    const adopter = this.backend.adopt?.({ key: 'k', contender, ttlMs: TTL_MS, exported });
    if (adopter === undefined) throw new Error('it adopts nothing');
    return adopter;
  }

  /** One attempt, for which as much time passes as it takes. */
  async attempt(contender: Contender): Promise<Attempt> {
    return await this.let(contender.attempt(FOREVER_MS));
  }

  /** A grant, or the test is wrong. */
  async take(contender: string): Promise<Required<Grant>> {
    const attempt = await this.attempt(this.contend(contender));
    if (attempt.kind !== 'granted') throw new Error(`not granted: ${attempt.kind}`);
    return attempt.grant as Required<Grant>;
  }

  /** Lets time pass, ms by ms, until it is settled. */
  async let<T>(work: Promise<T>): Promise<T> {
    const state = { isSettled: false };
    const settle = (): void => {
      state.isSettled = true;
    };
    work.then(settle, settle);
    await this.runtime.pass(0);
    while (!state.isSettled) await this.runtime.pass(1);
    return await work;
  }

  /** A renewal round with its healing. */
  async round(grant: Required<Grant>, ttlMs = TTL_MS): Promise<string> {
    const { kind } = await this.let(grant.renew(ttlMs));
    await this.runtime.pass(2 * CALL_MS);
    return kind;
  }

  /** The stored owner values of the nodes, in order. */
  get owners(): (string | undefined)[] {
    return this.nodes.map(({ owner }) => owner);
  }

  /** The events of nodes: name and outcome. */
  get reported(): string[] {
    return this.events.flatMap((event) =>
      event.type === 'node' ? [`${event.node.split(':')[0]} ${event.outcome}`] : [],
    );
  }
}

/** True if it has been woken already. */
export async function isWoken(waiting: Promise<void> | undefined): Promise<boolean> {
  const pending = Symbol('pending');
  return (await Promise.race([waiting, Promise.resolve(pending)])) !== pending;
}

/** As when the node has forgotten the script: EVALSHA is refused, and EVAL goes out behind whatever was sent meanwhile. */
export function delayAcquire(at: Bench, node: VotingNode, ms: number): void {
  const script = node.script.bind(node);
  node.script = async (named, keys, args, options) => {
    if (named.name === 'acquire') await new Promise<void>((done) => at.runtime.timer(ms, done));
    return await script(named, keys, args, options);
  };
}

/** Delays the replies of one node to scripts of this name by `ms`. */
export function slow(at: Bench, node: VotingNode | undefined, name: string, ms: number): void {
  if (node === undefined) throw new Error('there is no such node');
  const script = node.script.bind(node);
  node.script = async (named, keys, args, options) => {
    const reply = await script(named, keys, args, options);
    if (named.name === name) await new Promise<void>((done) => at.runtime.timer(ms, done));
    return reply;
  };
}

/** Delays each reply of one node to scripts of this name by what `pauseMs` returns. */
export function slowEach(
  at: Bench,
  node: VotingNode | undefined,
  name: string,
  pauseMs: () => number,
): void {
  if (node === undefined) throw new Error('there is no such node');
  const script = node.script.bind(node);
  node.script = async (named, keys, args, options) => {
    const ms = named.name === name ? pauseMs() : 0;
    const reply = await script(named, keys, args, options);
    if (ms > 0) await new Promise<void>((done) => at.runtime.timer(ms, done));
    return reply;
  };
}

/** Lets time pass until `work` is settled; returns how many ms that took. */
export async function took(at: Bench, work: Promise<unknown>): Promise<number> {
  const { monotonicMs } = at.runtime.now();
  await at.let(work);
  return at.runtime.now().monotonicMs - monotonicMs;
}
