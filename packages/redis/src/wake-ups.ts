import type { Runtime } from '@holdfast/core';
import type { Dialer, Link } from './link.ts';
import { Liveness } from './liveness.ts';
import { CONNECT_TURNS, patientTimer } from './patient-timer.ts';
import { type ChannelEvent, NodeReplyError, NodeUnavailable, type Subscription } from './port.ts';
import { Redialer } from './redialer.ts';

export type WakeUpListener = (event: ChannelEvent) => void;

export interface WakeUpsOptions {
  readonly runtime: Runtime;
  readonly dialer: Dialer;
  /** The limit for a connection, and for a subscription to become live on it. */
  readonly connectMs: number;
  /** See `NodeOptions`. */
  readonly provesWaits?: boolean | undefined;
}

/** A connection that lasted less did not serve, though it confirmed: else a server that ends each would be dialled without end. */
const STEADY_MS = 1_000;

const GAP: ChannelEvent = { kind: 'gap' };

/** One subscribed channel: one SUBSCRIBE for any number of listeners. */
interface WakeUpChannel {
  readonly name: string;
  readonly isSharded: boolean;
  readonly listeners: Set<WakeUpListener>;
  /** True if requested on the present link, and not refused. */
  isRequested: boolean;
  /** True if confirmed by the server on the present link. */
  isLive: boolean;
  /** True if it was live before: becoming live again then means that there was a gap. */
  wasLive: boolean;
  /** The subscribe calls that wait for it to become live. */
  pending: { readonly resolve: () => void; readonly reject: (error: Error) => void }[];
}

/** A shard channel and a plain one of the same name are two. */
function idOf(name: string, isSharded: boolean): string {
  return isSharded ? `shard ${name}` : name;
}

/** The subscriber connection of one node, shared by all channels; opened on first use. */
export class WakeUps {
  readonly #options: WakeUpsOptions;
  readonly #redialer: Redialer;
  /** By {@link idOf}. */
  readonly #channels = new Map<string, WakeUpChannel>();
  #link: Link | undefined;
  #liveness: Liveness | undefined;
  #upMs = 0;
  /** False if the latest connection was lost soon. */
  #isSteady = true;
  #waiting = 0;
  #isClosed = false;

  constructor(options: WakeUpsOptions) {
    this.#options = options;
    const { runtime, dialer, connectMs } = options;
    this.#redialer = new Redialer({
      runtime,
      dialer,
      connectMs,
      purpose: 'wake-ups',
      up: (link) => this.#up(link),
      down: (cause) => this.#down(cause),
      published: (name, text) => {
        this.#liveness?.heard();
        const event: ChannelEvent = { kind: 'message', text };
        this.#notify(this.#channels.get(idOf(name, true)), event);
        this.#notify(this.#channels.get(idOf(name, false)), event);
      },
      unsubscribed: (name) => this.#ended(this.#channels.get(idOf(name, true))),
    });
  }

  /**
   * Live when resolved. Rejects if the server refuses it, or if there is no connection within `connectMs`. A shard channel
   * can end, which is a gap; then it takes a new call to subscribe.
   */
  async subscribe(
    name: string,
    listener: WakeUpListener,
    isSharded = false,
  ): Promise<Subscription> {
    const channel = this.#channels.get(idOf(name, isSharded)) ?? this.#open(name, isSharded);
    // One listener for each call: a function may subscribe twice, and then closes twice.
    const ownListener: WakeUpListener = (event) => listener(event);
    channel.listeners.add(ownListener);
    try {
      if (!channel.isLive) await this.#untilLive(channel);
    } catch (error) {
      this.#removeListener(channel, ownListener);
      throw error;
    }
    return { close: () => this.#removeListener(channel, ownListener) };
  }

  /** Drops the connection, for example because another one to this node went silent. */
  drop(cause: Error): void {
    this.#redialer.drop(cause);
  }

  close(): void {
    this.#isClosed = true;
    this.#redialer.close();
    this.#down(new Error('the node was closed'));
    this.#channels.clear();
  }

  #open(name: string, isSharded: boolean): WakeUpChannel {
    const channel: WakeUpChannel = {
      name,
      isSharded,
      listeners: new Set(),
      isRequested: false,
      isLive: false,
      wasLive: false,
      pending: [],
    };
    if (this.#isClosed) return channel;
    this.#channels.set(idOf(name, isSharded), channel);
    this.#redialer.start();
    // Only while somebody listens: an idle process sends nothing.
    this.#liveness?.watch();
    return channel;
  }

  async #untilLive(channel: WakeUpChannel): Promise<void> {
    if (this.#isClosed || this.#redialer.state === 'pausing') throw this.#unavailable();
    const { runtime, connectMs } = this.#options;
    if (this.#waiting++ === 0) this.#redialer.keepAlive(true);
    const cancel = patientTimer(runtime, connectMs, CONNECT_TURNS, () =>
      this.drop(
        new Error(`no subscription at ${this.#options.dialer.address} within ${connectMs} ms`),
      ),
    );
    try {
      await new Promise<void>((resolve, reject) => {
        channel.pending.push({ resolve, reject });
        if (this.#link !== undefined && !channel.isRequested)
          this.#requestSubscription(channel, this.#link);
      });
    } finally {
      cancel();
      if (--this.#waiting === 0) this.#redialer.keepAlive(false);
    }
  }

  #up(link: Link): void {
    this.#link = link;
    if (this.#channels.size === 0) return this.#redialer.pause();
    const { runtime } = this.#options;
    this.#upMs = runtime.now().monotonicMs;
    if (this.#options.provesWaits !== false) {
      this.#liveness = new Liveness({ runtime, link, failed: (cause) => this.#replace(cause) });
      this.#liveness.watch();
    }
    for (const channel of this.#channels.values()) this.#requestSubscription(channel, link);
  }

  /** The link has served: the next one is dialled at once. */
  #replace(cause: Error): void {
    this.#redialer.proven();
    this.#redialer.drop(cause);
  }

  #requestSubscription(channel: WakeUpChannel, link: Link): void {
    const isCurrent = (): boolean => this.#link === link && this.#isOpen(channel);
    channel.isRequested = true;
    link.subscribe(channel.name, channel.isSharded).then(
      () => isCurrent() && this.#confirmed(channel),
      (error: unknown) => isCurrent() && this.#refused(channel, error),
    );
  }

  #confirmed(channel: WakeUpChannel): void {
    if (this.#isSteady) this.#redialer.proven();
    this.#liveness?.heard();
    channel.isLive = true;
    const pending = channel.pending;
    channel.pending = [];
    for (const { resolve } of pending) resolve();
    // A listener from before the connection was lost may have missed a message until now.
    if (channel.wasLive) this.#notify(channel, GAP);
    channel.wasLive = true;
  }

  /** A subscription that was live and is refused now stays with its gap: its waiter polls. */
  #refused(channel: WakeUpChannel, error: unknown): void {
    channel.isRequested = false;
    this.#rejectPending(channel, error instanceof NodeReplyError ? error : this.#unavailable());
  }

  #rejectPending(channel: WakeUpChannel, error: Error): void {
    const pending = channel.pending;
    channel.pending = [];
    for (const { reject } of pending) reject(error);
  }

  #ended(channel: WakeUpChannel | undefined): void {
    if (channel === undefined || !channel.isLive) return;
    channel.isLive = false;
    channel.isRequested = false;
    this.#notify(channel, GAP);
  }

  #down(cause: Error): void {
    // Whoever subscribed when a proof failed waits for the next connection.
    const isReplaced = this.#liveness?.isProving === true && !this.#isClosed;
    this.#liveness?.end();
    this.#liveness = undefined;
    if (this.#link !== undefined)
      this.#isSteady = this.#options.runtime.now().monotonicMs - this.#upMs >= STEADY_MS;
    this.#link = undefined;
    for (const channel of this.#channels.values()) {
      const wasLive = channel.isLive;
      channel.isLive = false;
      channel.isRequested = false;
      if (!isReplaced) this.#rejectPending(channel, this.#unavailable(cause));
      if (wasLive) this.#notify(channel, GAP);
    }
    if (this.#channels.size === 0) this.#redialer.pause();
  }

  #removeListener(channel: WakeUpChannel, listener: WakeUpListener): void {
    channel.listeners.delete(listener);
    if (channel.listeners.size > 0 || !this.#isOpen(channel)) return;
    this.#channels.delete(idOf(channel.name, channel.isSharded));
    this.#link?.unsubscribe(channel.name, channel.isSharded);
    if (this.#channels.size === 0) this.#liveness?.rest();
  }

  #isOpen(channel: WakeUpChannel): boolean {
    return this.#channels.get(idOf(channel.name, channel.isSharded)) === channel;
  }

  #notify(channel: WakeUpChannel | undefined, event: ChannelEvent): void {
    if (channel === undefined) return;
    // A copy: listeners that a listener adds have missed nothing.
    for (const listener of Array.from(channel.listeners)) listener(event);
  }

  #unavailable(cause: Error | undefined = this.#redialer.lastCause): NodeUnavailable {
    return new NodeUnavailable(`${this.#options.dialer.address}: cannot subscribe`, cause);
  }
}
