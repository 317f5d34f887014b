import type { Subscription } from '@holdfast/redis';
import { expectReply, isZeroOrOne, JITTER_MS } from '@holdfast/redis';
import type { ChannelEvent } from '@holdfast/redis/port';
import { type FairKeys, reportNode, type Store } from '../store.ts';
import { CLAIM_MS } from './lua.ts';
import { ATTEND, LEAVE } from './scripts.ts';

/** A process with waiters says so this often. Several of these fit into the time for which it counts as present. */
const ATTEND_MS = 2_000;
/** The limit of a call that no attempt waits for. */
const CALL_MS = 1_000;

/** One waiter of this process, as its line sees it. */
export interface LineWaiter {
  readonly contender: string;
  /** Its member of the queue. */
  readonly place: string;
  /** Its number in the order of arrival; undefined until a reply said that it has a place. */
  readonly arrival: number | undefined;
  /** It makes another attempt: it was chosen, or what it knows is out of date. */
  wake(): void;
}

/**
 * The waiters of one process for one key. They share a subscription, by which the server names the one that it has chosen,
 * and one regular call, which says that their process lives and learns whether their places are still there.
 */
export class FairLine {
  readonly #store: Store;
  readonly #keys: FairKeys;
  readonly #process: string;
  readonly #ended: () => void;
  readonly #waiters = new Map<string, LineWaiter>();
  /** The waiters that look after the line, each with the cancel function of its timer. */
  readonly #watches = new Map<string, () => void>();
  #subscription: Subscription | undefined;
  #isSubscribing = false;
  #cancelTimer: (() => void) | undefined;
  #isClosed = false;

  constructor(store: Store, keys: FairKeys, process: string, ended: () => void) {
    this.#store = store;
    this.#keys = keys;
    this.#process = process;
    this.#ended = ended;
  }

  /** True if no choice by the server can be missed. */
  get isLive(): boolean {
    return this.#subscription !== undefined;
  }

  join(waiter: LineWaiter): void {
    this.#waiters.set(waiter.contender, waiter);
    if (this.#cancelTimer === undefined) this.#attendLater();
  }

  leave(contender: string): void {
    this.#waiters.delete(contender);
    this.stopWatching(contender);
  }

  /** Subscribes, unless it has. Once it is live all its waiters look again: a choice may have been missed until then. */
  async listen(): Promise<void> {
    if (this.isLive || this.#isSubscribing || this.#isClosed) return;
    this.#isSubscribing = true;
    try {
      const channel = `${this.#keys.channel}:${this.#process}`;
      const subscription = await this.#store.node.subscribe(channel, (event) => this.#heard(event));
      if (this.#isClosed) return subscription.close();
      this.#subscription = subscription;
      this.#wakeAll();
    } catch (cause) {
      if (!this.#isClosed) reportNode(this.#store, this.#keys.key, cause);
    } finally {
      this.#isSubscribing = false;
    }
  }

  close(): void {
    this.#isClosed = true;
    this.#subscription?.close();
    this.#subscription = undefined;
    this.#cancelTimer?.();
    for (const contender of Array.from(this.#watches.keys())) this.stopWatching(contender);
    this.#ended();
  }

  #heard({ kind, text = '' }: ChannelEvent): void {
    if (kind === 'gap') return this.#wakeAll();
    const [what, contender = ''] = text.split(':');
    const waiter = this.#waiters.get(contender);
    if (what === 'watch' && waiter !== undefined) this.#watch(waiter);
    if (what !== 'go') return;
    if (waiter === undefined) void this.#refuse(contender);
    else waiter.wake();
  }

  /** The first two behind the chosen waiter look whether it claims: a server does nothing when a key expires. */
  #watch(waiter: LineWaiter): void {
    this.stopWatching(waiter.contender);
    const { runtime } = this.#store.host;
    const cancel = runtime.timer(CLAIM_MS + 1 + runtime.random() * JITTER_MS, () => {
      this.#watches.delete(waiter.contender);
      waiter.wake();
    });
    this.#watches.set(waiter.contender, cancel);
  }

  /** An attempt of this waiter sees for itself what a watch would look for. */
  stopWatching(contender: string): void {
    this.#watches.get(contender)?.();
    this.#watches.delete(contender);
  }

  /** The server chose one that waits no more: its place was left by a request that arrived late. */
  async #refuse(contender: string): Promise<void> {
    const { label } = this.#store.host;
    await leaveQueue(this.#store, this.#keys, {
      place: `${this.#process}:${contender}:${label}`,
      reservation: `${contender}:00:${label}`,
    });
  }

  #wakeAll(): void {
    for (const waiter of Array.from(this.#waiters.values())) waiter.wake();
  }

  #attendLater(): void {
    const { runtime } = this.#store.host;
    const ms = ATTEND_MS * (0.75 + runtime.random() / 4);
    this.#cancelTimer = runtime.timer(ms, () => void this.#attend());
  }

  /** Nobody has waited here for a while: the next waiter subscribes again. */
  async #attend(): Promise<void> {
    const placed = Array.from(this.#waiters.values())
      .filter(({ arrival }) => arrival !== undefined)
      .toSorted((a, b) => (a.arrival ?? 0) - (b.arrival ?? 0));
    const [first] = placed;
    const last = placed.at(-1);
    if (this.#waiters.size === 0) return this.close();
    if (!this.isLive) void this.listen();
    if (first !== undefined && last !== undefined) await this.#sendAttend(first, last);
    if (!this.#isClosed) this.#attendLater();
  }

  async #sendAttend(first: LineWaiter, last: LineWaiter): Promise<void> {
    const { node, host } = this.#store;
    try {
      const deadlineMs = host.runtime.now().monotonicMs + CALL_MS;
      const args = [this.#process, first.place, last.place];
      const reply = await node.script(ATTEND, lineNames(this.#keys), args, { deadlineMs });
      const isThere = expectReply(ATTEND.name, reply, isZeroOrOne) === 1;
      const arePlaced = this.#waiters.has(first.contender) && this.#waiters.has(last.contender);
      if (!isThere && arePlaced) this.#wakeAll();
    } catch (cause) {
      reportNode(this.#store, this.#keys.key, cause);
    }
  }
}

/** The keys of every script of the queue, in their order. */
export function lineNames({ lock, channel, line }: FairKeys): readonly string[] {
  return [lock, channel, line.queue, line.present];
}

/** Gives up one place; true once the server has confirmed that. Never rejects. */
export async function leaveQueue(
  store: Store,
  keys: FairKeys,
  { place, reservation }: { readonly place: string; readonly reservation: string },
): Promise<boolean> {
  const deadlineMs = store.host.runtime.now().monotonicMs + CALL_MS;
  try {
    const args = [place, reservation];
    const reply = await store.node.script(LEAVE, lineNames(keys), args, { deadlineMs });
    expectReply(LEAVE.name, reply, isZeroOrOne);
    return true;
  } catch (cause) {
    reportNode(store, keys.key, cause);
    return false;
  }
}
