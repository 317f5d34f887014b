import type { Instant } from '@holdfast/core';
import type { VirtualRuntime } from '../../../core/test/kit/virtual-runtime.ts';
import {
  type Answered,
  type Content,
  type Created,
  type CreateOptions,
  type Listing,
  type SessionCloseOptions,
  SessionDoubt,
  type SessionState,
  SessionUnavailable,
  type WatchedStat,
  type ZooKeeperSession,
} from '../../src/port.ts';
import type { HandTree } from './hand-tree.ts';

type Name = 'create' | 'existsWatch' | 'read' | 'list' | 'setData' | 'delete' | 'sync';
/** `done`: executed and answered, as without a fate. `lost`: executed, and never answered. `stuck`: not even executed, until its connection ends. An error: answered so. */
type Fate = 'done' | 'lost' | 'stuck' | Error;

const LATENCY_MS = 1;

/** A session by hand: requests are executed at once and answered a moment later, unless a test says otherwise. */
export class HandSession implements ZooKeeperSession {
  readonly id: bigint;
  readonly timeoutMs: number;
  readonly address = 'zk:2181';
  validated: Instant;
  state: SessionState = 'connected';
  /** All requests in order, with the last name of their paths. */
  readonly requests: string[] = [];
  readonly #runtime: VirtualRuntime;
  readonly #tree: HandTree;
  readonly #listeners = new Set<(state: SessionState) => void>();
  readonly #fates = new Map<Name, Fate[]>();
  readonly #answers: { readonly sentAt: Instant; readonly answeredMs: number }[] = [];
  readonly #pending = new Set<(error: Error) => void>();
  /** The watches of this session. */
  readonly #watching = new Set<() => void>();
  /** Events that wait for the next connection. */
  #queuedEvents: (() => void)[] = [];

  constructor(tree: HandTree, runtime: VirtualRuntime, id: bigint, timeoutMs: number) {
    this.#tree = tree;
    this.#runtime = runtime;
    this.id = id;
    this.timeoutMs = timeoutMs;
    this.validated = runtime.now();
  }

  /** Sets the fate of the next request of this name; several calls queue up. */
  next(name: Name, fate: Fate): void {
    this.#fates.set(name, [...(this.#fates.get(name) ?? []), fate]);
  }

  /** Removes all fates. */
  heal(): void {
    this.#fates.clear();
  }

  /** A ping that is answered at once. */
  ping(): void {
    this.#answers.push({ sentAt: this.#runtime.now(), answeredMs: this.#nowMs() });
  }

  disconnect(): void {
    this.#answers.length = 0;
    this.#become('disconnected');
    this.#failAll(new SessionDoubt('the connection was lost'));
  }

  reconnect(): void {
    this.validated = this.#runtime.now();
    this.#become('connected');
    const events = this.#queuedEvents;
    this.#queuedEvents = [];
    for (const tell of events) tell();
  }

  /** The servers have ended the session, and report it. */
  expire(state: 'expired' | 'auth-failed' = 'expired'): void {
    this.#tree.forget(this.id);
    this.#end(state, 'the session has ended');
  }

  onState(listener: (state: SessionState) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  answeredBefore(monotonicMs: number): Instant | undefined {
    return this.#answers.findLast(({ answeredMs }) => answeredMs <= monotonicMs)?.sentAt;
  }

  create(path: string, data: string, { mode }: CreateOptions): Promise<Created> {
    const owner = mode.startsWith('ephemeral') ? this.id : 0n;
    return this.#ask('create', path, () => {
      const full = this.#tree.create(path, data, owner, mode.endsWith('sequential'));
      return { path: full, czxid: this.#tree.at(full).czxid };
    });
  }

  existsWatch(path: string, onChange: () => void): Promise<WatchedStat> {
    return this.#ask('existsWatch', path, () => {
      const node = this.#tree.nodes.get(path);
      const stat = node && { czxid: node.czxid, ephemeralOwner: node.owner, version: node.version };
      let isWanted = true;
      const tell = (): void => {
        this.#watching.delete(tell);
        if (isWanted) onChange();
        isWanted = false;
      };
      this.#watching.add(tell);
      const forget = this.#tree.watch(path, () => {
        if (this.state === 'connected') tell();
        else this.#queuedEvents.push(tell);
      });
      const unwatch = (): void => {
        isWanted = false;
        this.#watching.delete(tell);
        forget();
      };
      return { stat, unwatch };
    });
  }

  read(path: string): Promise<Content> {
    return this.#ask('read', path, () => {
      const { data, czxid, owner, version } = this.#tree.at(path);
      return { data, stat: { czxid, ephemeralOwner: owner, version } };
    });
  }

  list(path: string): Promise<Listing> {
    return this.#ask('list', path, () => ({ children: this.#tree.children(path) }));
  }

  setData(path: string, data: string, version?: number): Promise<Answered> {
    return this.#ask('setData', path, () => {
      this.#tree.setData(path, data, version);
      return {};
    });
  }

  delete(path: string): Promise<Answered> {
    return this.#ask('delete', path, () => {
      this.#tree.delete(path);
      return {};
    });
  }

  sync(path: string): Promise<Answered> {
    return this.#ask('sync', path, () => ({}));
  }

  async close(options?: SessionCloseOptions): Promise<void> {
    if (this.state === 'connected' && options?.leavesNodes !== true) this.#tree.forget(this.id);
    this.#end('closed', 'the session was closed');
  }

  #ask<T extends object>(name: Name, path: string, execute: () => T): Promise<T & Answered> {
    if (this.state !== 'connected') return Promise.reject(new SessionUnavailable(this.state));
    this.requests.push(`${name} ${path.split('/').slice(-1).join('/')}`);
    const sentAt = this.#runtime.now();
    const fate = this.#fates.get(name)?.shift();
    return new Promise((resolve, reject) => {
      this.#pending.add(reject);
      if (fate === 'stuck') return;
      const settle = this.#outcome(fate, execute, sentAt);
      if (fate === 'lost') return;
      this.#runtime.timer(LATENCY_MS, () => {
        if (!this.#pending.delete(reject)) return;
        this.#answers.push({ sentAt, answeredMs: this.#nowMs() });
        settle(resolve, reject);
      });
    });
  }

  #outcome<T extends object>(
    fate: Fate | undefined,
    execute: () => T,
    sentAt: Instant,
  ): (resolve: (value: T & Answered) => void, reject: (error: unknown) => void) => void {
    if (fate instanceof Error) return (_, reject) => reject(fate);
    try {
      const value = { ...execute(), sentAt };
      return (resolve) => resolve(value);
    } catch (error) {
      return (_, reject) => reject(error);
    }
  }

  #end(state: SessionState, why: string): void {
    this.#become(state);
    for (const tell of Array.from(this.#watching)) tell();
    this.#failAll(new SessionDoubt(why));
  }

  #become(state: SessionState): void {
    if (state === this.state) return;
    this.state = state;
    for (const listener of Array.from(this.#listeners)) listener(state);
  }

  #failAll(error: Error): void {
    const pending = [...this.#pending];
    this.#pending.clear();
    for (const reject of pending) reject(error);
  }

  #nowMs(): number {
    return this.#runtime.now().monotonicMs;
  }
}
