import type { Runtime } from '@holdfast/core';
import {
  type CallOptions,
  NodeDoubt,
  NodeReplyError,
  NodeUnavailable,
  type RedisNode,
  type Reply,
  type Script,
  type Subscription,
} from '@holdfast/redis/port';
import { deferred } from '../../../core/test/kit/virtual-runtime.ts';
import { withoutPlace } from '../../src/store.ts';

type Listener = (event: { readonly kind: 'message' | 'gap' }) => void;

/** One executed call. */
export interface Executed {
  readonly name: string;
  readonly owner: string;
}

/** A Redis node by hand: one connection, executed in order, that can be stalled on the way there and on the way back. */
export class VotingNode implements RedisNode {
  readonly address: string;
  runId: string;
  connections = 1;
  readonly executed: Executed[] = [];
  readonly listeners = new Set<Listener>();
  /** Nothing can be written to it. */
  isDown = false;
  /** The reply to every call but those of the opening, whatever is stored. */
  strange: Reply | Error | undefined;
  /** From the next call of this script on, requests stay on the wire. */
  stallAt: string | undefined;
  role = 'master';
  /** Its INFO was renamed. */
  isInfoRenamed = false;
  list: string | undefined;
  readonly #runtime: Runtime;
  #held: { readonly owner: string; readonly untilMs: number } | undefined;
  #isStalled = false;
  #isMute = false;
  #inbox: (() => void)[] = [];
  #outbox: (() => void)[] = [];

  constructor(runtime: Runtime, address: string, runId: string = address) {
    this.#runtime = runtime;
    this.address = address;
    this.runId = runId;
  }

  /** The stored owner value, without the place. */
  get owner(): string | undefined {
    const { stored } = this;
    return stored === undefined ? undefined : withoutPlace(stored);
  }

  /** The owner value as it is stored, with the place. */
  get stored(): string | undefined {
    const held = this.#held;
    return held !== undefined && held.untilMs > this.#nowMs() ? held.owner : undefined;
  }

  get remainingMs(): number {
    return this.stored === undefined ? -2 : (this.#held?.untilMs ?? 0) - this.#nowMs();
  }

  give(owner: string, ms: number): void {
    this.#held = { owner, untilMs: this.#nowMs() + ms };
  }

  /** It restarts without its data; the connection is not what this is about. */
  lose(): void {
    this.#held = undefined;
  }

  /** Requests stay on the wire. */
  stall(): void {
    this.#isStalled = true;
  }

  /** Replies stay on the wire. */
  mute(): void {
    this.#isMute = true;
  }

  /** Everything on its way arrives, in order. */
  heal(): void {
    this.#isStalled = false;
    this.#isMute = false;
    for (const run of this.#inbox.splice(0)) run();
    for (const run of this.#outbox.splice(0)) run();
  }

  /** Requests on the wire stay there, and later ones overtake them; returns a function that delivers them. */
  divert(): () => void {
    const inbox = this.#inbox.splice(0);
    this.heal();
    return () => {
      for (const run of inbox) run();
    };
  }

  publish(kind: 'message' | 'gap' = 'message'): void {
    for (const listener of this.listeners) listener({ kind });
  }

  command([name = '']: readonly string[], options: CallOptions): Promise<Reply> {
    return this.#call(options, () => {
      if (name !== 'INFO') return name === 'PING' ? 'PONG' : [];
      if (this.isInfoRenamed) throw new NodeReplyError('ERR', "ERR unknown command 'INFO'");
      return `redis_version:7.0.0\r\nrole:${this.role}\r\nredis_mode:standalone\r\nrun_id:${this.runId}\r\nmaxmemory_policy:noeviction`;
    });
  }

  script(
    { name }: Script,
    _keys: readonly string[],
    [first = '', second = '', third = '']: readonly string[],
    options: CallOptions,
  ): Promise<Reply> {
    if (name === this.stallAt) {
      this.stallAt = undefined;
      this.stall();
    }
    return this.#call(options, () => {
      if (name === 'introduce') return (this.list ??= first);
      this.executed.push({ name, owner: withoutPlace(first) });
      if (this.strange instanceof Error) throw this.strange;
      return this.strange ?? this.#execute(name, first, second, third);
    });
  }

  subscribe(_channel: string, listener: Listener): Promise<Subscription> {
    if (this.isDown) return Promise.reject(new NodeUnavailable(`${this.address}: not connected`));
    this.listeners.add(listener);
    return Promise.resolve({ close: () => void this.listeners.delete(listener) });
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  #call(options: CallOptions, execute: () => Reply): Promise<Reply> {
    if (this.isDown) return Promise.reject(new NodeUnavailable(`${this.address}: not connected`));
    return new Promise((resolve, reject) => {
      const cancel = this.#runtime.timer(options.deadlineMs - this.#nowMs(), () =>
        reject(this.#doubt(options)),
      );
      this.#deliver(() => {
        let answer: () => void;
        try {
          const reply = execute();
          answer = () => resolve(reply);
        } catch (error) {
          answer = () => reject(error);
        }
        this.#reply(() => {
          cancel();
          answer();
        });
      });
    });
  }

  /** Sends the undo behind the command, on its connection. */
  #doubt({ undo }: CallOptions): NodeDoubt {
    if (undo === undefined) {
      return new NodeDoubt(`${this.address}: no reply`, 'none', Promise.resolve(false));
    }
    const undone = deferred<boolean>();
    const owner = undo.args.at(-1) ?? '';
    this.#deliver(() => {
      this.executed.push({ name: 'undo', owner: withoutPlace(owner) });
      this.#execute('release', owner);
      this.#reply(() => undone.resolve(true));
    });
    return new NodeDoubt(`${this.address}: no reply`, 'ordered', undone.promise);
  }

  #deliver(run: () => void): void {
    if (this.#isStalled) this.#inbox.push(run);
    else run();
  }

  #reply(run: () => void): void {
    if (this.#isMute) this.#outbox.push(run);
    else run();
  }

  #execute(name: string, owner: string, second = '', exported = ''): Reply {
    const held = this.stored;
    const ttlMs = Number(second);
    switch (name) {
      case 'acquire': {
        if (held !== undefined && !isSmallerOf(held, owner)) return this.remainingMs;
        this.give(owner, ttlMs);
        return 'agreed';
      }
      case 'adopt': {
        if (held === undefined || (held !== exported && !isSmallerOf(held, owner))) return 'gone';
        this.give(owner, ttlMs);
        return 'agreed';
      }
      case 'renew': {
        if (held !== owner) return 0;
        if (this.remainingMs < ttlMs) this.give(owner, ttlMs);
        return 1;
      }
      case 'inspect':
        return [held ?? null, this.remainingMs];
      default: {
        if (held === undefined || (name === 'release' && held !== owner)) return 0;
        this.#held = undefined;
        if (second !== 'quietly') this.publish();
        return 1;
      }
    }
  }

  #nowMs(): number {
    return this.#runtime.now().monotonicMs;
  }
}

function isSmallerOf(held: string, owner: string): boolean {
  const [holder, m] = held.split(':');
  const [contender, n] = owner.split(':');
  return holder === contender && Number(m) < Number(n);
}
