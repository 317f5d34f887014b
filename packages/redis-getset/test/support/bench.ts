import type { LockEvent } from '@holdfast/core';
import type { Backend, Host, Runtime } from '@holdfast/core/backend';
import type { CallOptions, RedisNode, Reply } from '@holdfast/redis/port';
import { VirtualRuntime } from '../../../core/test/kit/virtual-runtime.ts';
import { redisGetset } from '../../src/open.ts';

export const KEY = 'orders/42';
export const LOCK = 'holdfast:v1:{orders/42}:lock';

/** A Redis that knows the recipe's four commands, and lets a test act between any two of them. */
class TinyRedis implements RedisNode {
  readonly address = 'redis.example:6379';
  readonly values = new Map<string, string>();
  readonly calls: { readonly args: readonly string[]; readonly options: CallOptions }[] = [];
  isClosed = false;
  /** Called before a command is executed; what it throws is what the caller gets. */
  before: (command: string) => void | Promise<void> = () => undefined;
  /** Called after it; what it throws is what the caller gets in place of the reply, what it returns replaces it. */
  after: (command: string) => Reply | undefined | Promise<Reply | undefined> = () => undefined;

  async command(args: readonly string[], options: CallOptions): Promise<Reply> {
    this.calls.push({ args, options });
    const [name = '', key = '', value = ''] = args;
    await this.before(name);
    const reply = this.#execute(name, key, value);
    return (await this.after(name)) ?? reply;
  }

  get names(): string[] {
    return this.calls.map(({ args }) => args[0] ?? '');
  }

  script(): Promise<Reply> {
    throw new Error('the recipe has no scripts');
  }

  subscribe(): Promise<never> {
    throw new Error('the recipe hears of nothing');
  }

  async close(): Promise<void> {
    this.isClosed = true;
  }

  #execute(name: string, key: string, value: string): Reply {
    const stored = this.values.get(key) ?? null;
    if (name === 'HELLO') return [];
    if (name === 'DEL') return this.values.delete(key) ? 1 : 0;
    if (name === 'GETSET' || (name === 'SETNX' && stored === null)) this.values.set(key, value);
    if (name === 'SETNX') return stored === null ? 1 : 0;
    return stored;
  }
}

/** One Redis, its clients, and the time they share unless their wall clocks are off. */
export class Bench {
  readonly node: TinyRedis = new TinyRedis();
  readonly runtime = new VirtualRuntime();
  readonly events: LockEvent[] = [];

  get wallMs(): number {
    return this.runtime.now().wallMs;
  }

  get stored(): string | undefined {
    return this.node.values.get(LOCK);
  }

  /** A client; `aheadMs` is how far its wall clock is off. */
  client({ aheadMs = 0, checkAge = false } = {}): Backend {
    const { node, runtime } = this;
    const parts = { node, ownsNode: false, namespace: 'holdfast', checkAge };
    const emit = (event: LockEvent): void => void this.events.push(event);
    return redisGetset(parts, {
      runtime: skewed(runtime, aheadMs),
      label: 'box:1',
      emit,
    } satisfies Host);
  }
}

function skewed(runtime: VirtualRuntime, aheadMs: number): Runtime {
  return {
    now: () => {
      const { monotonicMs, wallMs } = runtime.now();
      return { monotonicMs, wallMs: wallMs + aheadMs };
    },
    elapsedMs: (since) => runtime.elapsedMs(since),
    timer: (ms, run, options) => runtime.timer(ms, run, options),
    randomId: () => runtime.randomId(),
    random: () => runtime.random(),
    onCollected: () => runtime.onCollected(),
  };
}
