import type { Runtime } from '@holdfast/core';
import { NodeReplyError, type Subscription } from '../port.ts';
import { backOffMs } from '../redialer.ts';
import { refusalCode } from '../replies.ts';
import type { WakeUpListener } from '../wake-ups.ts';
import type { ClusterMap } from './cluster-map.ts';
import type { MemberPool } from './member-pool.ts';
import { redirectIn } from './redirect.ts';
import { slotOf } from './slot.ts';

export interface ClusterSubscriptionOptions {
  readonly runtime: Runtime;
  readonly map: ClusterMap;
  readonly pool: MemberPool;
  readonly connectMs: number;
  /** The addresses of the nodes without shard channels, as far as known; shared by all subscriptions of a cluster. */
  readonly withoutShards: Set<string>;
}

/** A channel's slot moves on while the redirects are followed, but not that often. */
const TRIES = 6;

/**
 * One listener of one channel, at the node that owns the channel's slot. A shard channel if that node has them (Redis 7),
 * else a plain one, which a cluster passes on to every node: the owner publishes by the same rule. A slot that moves ends
 * its shard subscriptions. That is a gap, as a lost connection is, and the subscription then follows the slot until it is
 * live again. A demoted master accepts subscriptions, but may not hear of everything: so the subscription follows the owner
 * too, as soon as that is known.
 */
export class ClusterSubscription implements Subscription {
  readonly #options: ClusterSubscriptionOptions;
  readonly #channel: string;
  readonly #slot: number;
  readonly #listener: WakeUpListener;
  #inner: Subscription | undefined;
  /** Where `#inner` is. */
  #address: string | undefined;
  #isFollowing = false;
  #isClosed = false;
  #cancelPause: (() => void) | undefined;

  constructor(options: ClusterSubscriptionOptions, channel: string, listener: WakeUpListener) {
    this.#options = options;
    this.#channel = channel;
    this.#slot = slotOf(channel);
    this.#listener = listener;
  }

  /** Live when resolved. */
  async open(): Promise<this> {
    this.#inner = await this.#subscribe();
    return this;
  }

  /** Call it when a slot may have another owner. */
  followOwner(): void {
    const isThere = this.#address === this.#options.map.known(this.#slot);
    if (!isThere && this.#inner !== undefined && !this.#isFollowing) void this.#follow();
  }

  close(): void {
    this.#isClosed = true;
    this.#cancelPause?.();
    this.#inner?.close();
  }

  async #subscribe(): Promise<Subscription> {
    const { runtime, map, pool, connectMs, withoutShards } = this.#options;
    const deadlineMs = runtime.now().monotonicMs + connectMs;
    let address = await map.ownerOf(this.#slot, deadlineMs);
    for (let tries = 1; ; tries++) {
      const isSharded = !withoutShards.has(address);
      try {
        // oxlint-disable-next-line no-await-in-loop -- each try depends on the reply to the one before
        const inner = await pool.get(address).subscribe(this.#channel, this.#onEvent, isSharded);
        this.#address = address;
        return inner;
      } catch (error) {
        const redirect = redirectIn(error);
        if (tries === TRIES) throw error;
        if (redirect !== undefined) address = map.followed(redirect, address);
        else if (isSharded && isUnknownCommand(error)) withoutShards.add(address);
        else {
          map.failed(address);
          throw error;
        }
      }
    }
  }

  readonly #onEvent: WakeUpListener = (event) => {
    if (this.#isClosed) return;
    this.#listener(event);
    if (event.kind !== 'gap' || this.#isFollowing) return;
    // A server that was replaced by one of another version has lost its connections.
    if (this.#address !== undefined) this.#options.withoutShards.delete(this.#address);
    this.#options.map.refreshSoon();
    void this.#follow();
  };

  /** Subscribes at the present owner, again and again until it is live there. */
  async #follow(): Promise<void> {
    this.#isFollowing = true;
    for (let failures = 1; !this.#isClosed; failures++) {
      try {
        // oxlint-disable-next-line no-await-in-loop
        const next = await this.#subscribe();
        this.#inner?.close();
        this.#inner = next;
        if (this.#address === this.#options.map.known(this.#slot)) break;
      } catch {
        // The next try is due anyway.
      }
      // It failed, or the slot has moved on meanwhile; nodes that do not agree would be asked without end.
      // oxlint-disable-next-line no-await-in-loop
      await this.#pause(failures);
    }
    this.#isFollowing = false;
    if (this.#isClosed) this.#inner?.close();
    // A message may have been missed until now.
    else this.#listener({ kind: 'gap' });
  }

  #pause(failures: number): Promise<void> {
    const { runtime } = this.#options;
    return new Promise((resolve) => {
      const cancel = runtime.timer(backOffMs(failures, runtime.random()), resolve);
      const end = (): void => {
        cancel();
        resolve();
      };
      this.#cancelPause = end;
    });
  }
}

/** True for a server without shard channels. */
function isUnknownCommand(error: unknown): boolean {
  return (
    error instanceof NodeReplyError && error.code === 'ERR' && refusalCode(error) !== undefined
  );
}
