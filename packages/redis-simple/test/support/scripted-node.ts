import type { LockEvent } from '@holdfast/core';
import type { Host } from '@holdfast/core/backend';
import { PendingReleases } from '@holdfast/redis';
import type { CallOptions, RedisNode, Reply, Script, Subscription } from '@holdfast/redis/port';
import { VirtualRuntime } from '../../../core/test/kit/virtual-runtime.ts';
import { ModeRenewals } from '../../src/modes/renewals.ts';
import { PassedHolds } from '../../src/passed-holds.ts';
import { Renewals } from '../../src/renewals.ts';
import { type Server, type Store, storedKeys } from '../../src/store.ts';

export interface ScriptedCall {
  readonly name: string;
  readonly keys: readonly string[];
  readonly args: readonly string[];
  readonly options: CallOptions;
}

type Listener = (event: { readonly kind: 'message' | 'gap' }) => void;

/** A node that replies as the test says, and records its calls. */
export class ScriptedNode implements RedisNode {
  readonly address = 'redis.example:6379';
  readonly calls: ScriptedCall[] = [];
  readonly listeners = new Set<Listener>();
  isClosed = false;
  /** Answers the next calls, whatever they are. */
  answer: (call: ScriptedCall) => Promise<Reply> = () => Promise.resolve('1700000000000000');
  /** Resolves when a subscription becomes live. */
  live: Promise<void> = Promise.resolve();

  command(args: readonly string[], options: CallOptions): Promise<Reply> {
    return this.#call({ name: args[0] ?? '', keys: [], args, options });
  }

  script(
    script: Script,
    keys: readonly string[],
    args: readonly string[],
    options: CallOptions,
  ): Promise<Reply> {
    return this.#call({ name: script.name, keys, args, options });
  }

  async subscribe(_channel: string, listener: Listener): Promise<Subscription> {
    await this.live;
    this.listeners.add(listener);
    return { close: () => void this.listeners.delete(listener) };
  }

  say(kind: 'message' | 'gap'): void {
    for (const listener of this.listeners) listener({ kind });
  }

  close(): Promise<void> {
    this.isClosed = true;
    return Promise.resolve();
  }

  #call(call: ScriptedCall): Promise<Reply> {
    this.calls.push(call);
    return this.answer(call);
  }
}

export interface Bench {
  readonly node: ScriptedNode;
  readonly runtime: VirtualRuntime;
  readonly events: LockEvent[];
  readonly host: Host;
  readonly store: Store;
}

export const KEYS = storedKeys('holdfast', 'orders/42');

/** A store over a scripted node, in virtual time. */
export function bench(waitReplicas?: number): Bench {
  const node = new ScriptedNode();
  const runtime = new VirtualRuntime();
  const events: LockEvent[] = [];
  const host: Host = { runtime, label: 'box:1', emit: (event) => void events.push(event) };
  const server: Server = { node, host, waitReplicas };
  return {
    node,
    runtime,
    events,
    host,
    store: {
      ...server,
      pendingReleases: new PendingReleases(runtime),
      renewals: new Renewals(server),
      modeRenewals: new ModeRenewals(server),
      passedHolds: new PassedHolds(),
    },
  };
}
