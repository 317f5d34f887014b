import type { Runtime } from '@holdfast/core';
import {
  type CallOptions,
  type ClusterView,
  NodeDoubt,
  NodeReplyError,
  NodeUnavailable,
  type RedisNode,
  type Reply,
  type Script,
  type Subscription,
  type Undo,
} from '../port.ts';
import type { NatMap } from '../sentinel/sentinel-options.ts';
import { isQueued } from '../shapes.ts';
import type { WakeUpListener } from '../wake-ups.ts';
import { ClusterMap } from './cluster-map.ts';
import { ClusterSubscription } from './cluster-subscription.ts';
import { MemberPool } from './member-pool.ts';
import { redirectIn } from './redirect.ts';
import {
  keyOfCommand,
  type MemberNode,
  onCluster,
  type RoutedCall,
  type RoutedUndo,
  undoArgs,
} from './routing.ts';
import { slotOf } from './slot.ts';

/** Options of `ClusterNode`. */
export interface ClusterNodeOptions {
  /** The clocks and timers of the node. */
  readonly runtime: Runtime;
  /** Opens the node at `host:port`, without waiting for the connection. */
  readonly open: (address: string) => MemberNode;
  /** The addresses of some nodes, one or more. */
  readonly seeds: readonly string[];
  /** For a cluster behind NAT: where to connect for each address that it gives. */
  readonly natMap: NatMap | undefined;
  /** The limit of one attempt to connect to a node, in ms. */
  readonly connectMs: number;
}

/** A slot moves once in a while; a call that is sent on more often meets nodes that do not agree. */
const REDIRECTS_MAX = 5;
/** The limit for an undo that follows its slot. */
const FOLLOW_MS = 2_000;

/** Where a call goes. */
interface Target {
  readonly address: string;
  readonly asking: boolean;
}

type Send = (node: MemberNode, options: RoutedCall) => Promise<Reply>;

/**
 * A Redis Cluster as one node: each call goes to the master that owns the slot of its first key. MOVED and ASK are followed
 * within the call's deadline, because both say that the call was not applied. A call without a reply is in doubt where it
 * was sent; it is never sent to another node.
 * @example
 * ```ts
 * const limits = { runtime: host.runtime, connectMs: 2_000 };
 * const open = (address: string) =>
 *   new Node({ ...limits, dialer: dialTo(address), silenceMs: 2_000 });
 * const cluster = new ClusterNode({ ...limits, open, seeds: ['redis1:6379'], natMap: undefined });
 * ```
 */
export class ClusterNode implements RedisNode {
  readonly address: string;
  readonly cluster: ClusterView;
  readonly #options: ClusterNodeOptions;
  readonly #pool: MemberPool;
  readonly #map: ClusterMap;
  readonly #withoutShards = new Set<string>();
  readonly #subscriptions = new Set<ClusterSubscription>();
  readonly #following = new Set<Promise<boolean>>();

  constructor(options: ClusterNodeOptions) {
    const { runtime, open, seeds, natMap } = options;
    this.#options = options;
    this.#pool = new MemberPool(runtime, open);
    const changed = (): void => {
      for (const subscription of this.#subscriptions) subscription.followOwner();
    };
    this.#map = new ClusterMap({ runtime, pool: this.#pool, seeds, natMap, changed });
    this.address = this.#map.label;
    this.cluster = {
      sharesSlot: (keys) => new Set(keys.map(slotOf)).size < 2,
      check: ({ deadlineMs }) => this.#map.check(deadlineMs),
      masters: async ({ deadlineMs }) =>
        (await this.#map.masters(deadlineMs)).map((address) => this.#pool.get(address)),
    };
    this.#map.refreshSoon();
  }

  command(args: readonly string[], options: CallOptions): Promise<Reply> {
    return this.#call(keyOfCommand(args), options, (node, routed) => node.command(args, routed));
  }

  script(
    script: Script,
    keys: readonly string[],
    args: readonly string[],
    options: CallOptions,
  ): Promise<Reply> {
    const form = onCluster({ script, keys, args });
    return this.#call(keys[0], options, (node, routed) =>
      node.script(form.script, form.keys, form.args, routed),
    );
  }

  async subscribe(channel: string, listener: WakeUpListener): Promise<Subscription> {
    const { runtime, connectMs } = this.#options;
    const [map, pool, withoutShards] = [this.#map, this.#pool, this.#withoutShards];
    const parts = { runtime, connectMs, map, pool, withoutShards };
    const subscription = new ClusterSubscription(parts, channel, listener);
    await subscription.open();
    this.#subscriptions.add(subscription);
    return {
      close: () => {
        this.#subscriptions.delete(subscription);
        subscription.close();
      },
    };
  }

  async close(): Promise<void> {
    for (const subscription of this.#subscriptions) subscription.close();
    await Promise.all(this.#following);
    this.#map.close();
    await this.#pool.close();
  }

  async #call(key: string | undefined, options: CallOptions, send: Send): Promise<Reply> {
    const slot = key === undefined ? undefined : slotOf(key);
    const address = await this.#map.ownerOf(slot, options.deadlineMs);
    return await this.#send({ address, asking: false }, options, send);
  }

  async #send(first: Target, { undo, ...limits }: CallOptions, send: Send): Promise<Reply> {
    let target = first;
    for (let redirects = 0; ; redirects++) {
      const { address, asking } = target;
      const routedUndo = undo && this.#routedUndo(undo, target);
      const options = { ...limits, asking, ...(routedUndo && { undo: routedUndo }) };
      try {
        // oxlint-disable-next-line no-await-in-loop -- each redirect is the reply to the call before
        return await send(this.#pool.get(address), options);
      } catch (error) {
        const next = this.#redirected(error, address);
        if (next === undefined) throw error;
        if (redirects === REDIRECTS_MAX)
          throw new NodeUnavailable(
            `${address}: redirected more than ${REDIRECTS_MAX} times`,
            error,
          );
        target = next;
      }
    }
  }

  /** Returns where a failed call goes next; undefined if it ends here. */
  #redirected(error: unknown, address: string): Target | undefined {
    const redirect = redirectIn(error);
    if (redirect !== undefined) {
      return { address: this.#map.followed(redirect, address), asking: redirect.kind === 'ask' };
    }
    if (isOut(error)) this.#map.failed(address);
    return undefined;
  }

  /**
   * An undo leaves behind its command, on the same connection. If that node replies with a redirect, the undo follows the
   * slot to its owner, and counts as executed only there. Then the doubtful command cannot be applied any more: the node
   * that redirected the undo had finished with the command, and nobody sends the command again. What the command stored has
   * moved with its slot, since a node gives up a key only once the new owner has it, so the undo finds it there.
   * That ends where a cluster loses data. A replica that is promoted may have the command and lack the undo; then the value
   * stands until its ttl is over, and excludes, as any hold does.
   */
  #routedUndo(undo: Undo, { address, asking }: Target): RoutedUndo {
    const args = undoArgs(undo);
    const { keepUntilMs } = undo;
    const isWanted = (): boolean => undo.wanted?.() ?? true;
    return {
      args,
      keepUntilMs,
      asking,
      wanted: isWanted,
      refused: (error: NodeReplyError) => {
        const next = this.#redirected(error, address);
        return next && isWanted() ? this.#follow(args, keepUntilMs, next) : undefined;
      },
    };
  }

  /** Resolves, never rejects: true once an owner has executed the undo. */
  #follow(args: readonly string[], keepUntilMs: number, target: Target): Promise<boolean> {
    const nowMs = this.#options.runtime.now().monotonicMs;
    const deadlineMs = Math.min(keepUntilMs, nowMs + FOLLOW_MS);
    const following = this.#send(target, { deadlineMs }, (node, options) =>
      node.command(args, options),
    ).then(
      (reply) => !isQueued(reply),
      () => false,
    );
    this.#following.add(following);
    return following.finally(() => this.#following.delete(following));
  }
}

/** True if a node did not reply, or is apart from most of its cluster: its slots may be served elsewhere by now. */
function isOut(error: unknown): boolean {
  if (error instanceof NodeUnavailable || error instanceof NodeDoubt) return true;
  return error instanceof NodeReplyError && error.code === 'CLUSTERDOWN';
}
