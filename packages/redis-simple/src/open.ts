import { ConfigError, InvalidOptionError } from '@holdfast/core';
import type {
  AdoptRequest,
  Backend,
  Contender,
  ContendRequest,
  Host,
  Marks,
} from '@holdfast/core/backend';
import {
  checkReplicas,
  type OpenedNode,
  openSingleNode,
  PendingReleases,
  RedisBackend,
  redisMarks,
  type SingleNodeOptions,
  singleNodeHealth,
} from '@holdfast/redis';
import type { RedisNode } from '@holdfast/redis/port';
import { SimpleAdopter } from './adopter.ts';
import { SimpleContender } from './contender.ts';
import { SimpleContenderForAll } from './contender-for-all.ts';
import { FairContender } from './fair/contender.ts';
import { FairQueue } from './fair/queue.ts';
import {
  capabilities,
  FAIR_RIGHTS,
  fairCapabilities,
  NAME,
  PLAIN_RIGHTS,
  plainCapabilities,
  RIGHTS,
} from './identity.ts';
import { ModeContender } from './modes/contender.ts';
import { ModeRenewals } from './modes/renewals.ts';
import { forceRelease, heldKeys, inspect } from './operator.ts';
import { PassedHolds } from './passed-holds.ts';
import { Renewals } from './renewals.ts';
import {
  fairKeys,
  modeKeys,
  plainKeys,
  type Server,
  type Store,
  type StoredKeys,
  storedKeys,
} from './store.ts';

/** The node that keeps the locks, and how to reach it. */
export interface RedisSimpleOptions extends SingleNodeOptions {
  /**
   * The number of replicas that must have a grant or a renewal before it counts, from 1. Default: none, the reply of the
   * master counts. If all replicas must, a failover to any of them loses no lease, as long as clocks agree.
   */
  readonly waitReplicas?: number | undefined;
  /**
   * True: waiters queue on the server, and get the key in order of arrival, over all processes. Default false: only those
   * of one process are in order.
   */
  readonly fair?: boolean | undefined;
  /**
   * `plain`: the lock is the very key that the user names, with an opaque value, as other libraries keep it by `SET NX PX`:
   * both exclude each other. It has no fencing tokens and no queue, and waiters poll. Default `own`.
   */
  readonly layout?: 'own' | 'plain' | undefined;
}

/**
 * Opens locks by `SET` with a ttl and small scripts on one Redis server: the pattern of
 * https://redis.io/docs/latest/commands/set, with a retry and undo rule and fencing tokens added. On a Redis Cluster, each
 * lock is kept by the master that owns its slot.
 * @example
 * ```ts
 * const host = createHost({ label: 'billing' });
 * const backend = await openRedisSimple({ source: 'redis://localhost', fair: true }, host);
 * const locks = createLocks(backend, host, { ttlMs: 10_000 });
 * ```
 * @throws ConfigError, InvalidOptionError: before anything connects, or because the node cannot keep locks
 */
export async function openRedisSimple(options: RedisSimpleOptions, host: Host): Promise<Backend> {
  const { waitReplicas, fair = false, layout = 'own' } = options;
  checkWaitReplicas(waitReplicas);
  checkLayout(layout, fair);
  const more =
    waitReplicas === undefined
      ? undefined
      : (node: RedisNode): Promise<void> => checkReplicas(node, host, NAME, waitReplicas);
  const rights = layout === 'plain' ? PLAIN_RIGHTS : fair ? FAIR_RIGHTS : RIGHTS;
  const needs = { backend: NAME, rights, clusters: true, more };
  const opened = await openSingleNode(options, needs, host);
  return redisSimple({ ...opened, waitReplicas, fair, layout }, host);
}

function checkWaitReplicas(value: number | undefined): void {
  if (value === undefined || (Number.isInteger(value) && value >= 1 && value <= 100)) return;
  throw new InvalidOptionError('waitReplicas must be a whole number from 1 to 100', {
    backend: NAME,
  });
}

function checkLayout(layout: unknown, fair: boolean): void {
  const problem =
    layout !== 'own' && layout !== 'plain'
      ? 'layout must be "own" or "plain"'
      : layout === 'plain' && fair
        ? 'layout "plain" has no queue: other libraries would overtake it; leave out fair'
        : undefined;
  if (problem !== undefined) throw new ConfigError(`${NAME}: ${problem}`, { backend: NAME });
}

/** The marks of the plain layout are others: a store with another layout is another store. */
function plainMarks(marks: Marks): Marks {
  return {
    read: (name, deadlineMs) => marks.read(`plain-${name}`, deadlineMs),
    write: (name, value, deadlineMs) => marks.write(`plain-${name}`, value, deadlineMs),
  };
}

/** Returns the backend over a node that is open. */
export function redisSimple(
  {
    node,
    ownsNode,
    namespace,
    evicts,
    lateCheck,
    waitReplicas,
    fair,
    layout,
  }: OpenedNode & Pick<RedisSimpleOptions, 'waitReplicas' | 'fair' | 'layout'>,
  host: Host,
): RedisBackend {
  const pendingReleases = new PendingReleases(host.runtime);
  const server: Server = { node, host, waitReplicas };
  const store: Store = {
    ...server,
    pendingReleases,
    renewals: new Renewals(server),
    modeRenewals: new ModeRenewals(server),
    passedHolds: new PassedHolds(),
  };
  pendingReleases.onClose(() => store.renewals.close());
  const keysOf = (key: string): StoredKeys =>
    fair === true ? fairKeys(namespace, key) : storedKeys(namespace, key);
  if (layout === 'plain') {
    const plain = (key: string): StoredKeys => plainKeys(namespace, key);
    return new RedisBackend({
      name: NAME,
      capabilities: plainCapabilities,
      evicts,
      lateCheck,
      runtime: host.runtime,
      nodes: [node],
      ownsNodes: ownsNode,
      pendingReleases,
      marks: plainMarks(redisMarks(node, namespace, NAME)),
      contend: ({ key, contender, ttlMs }) =>
        new SimpleContender(store, plain(key), contender, ttlMs),
      inspect: (key) => inspect(store, plain(key)),
      forceRelease: (key) => forceRelease(store, plain(key)),
      health: () => singleNodeHealth(node, host),
    });
  }
  const inMode = (
    request: ContendRequest & { readonly ttlMs: number; readonly exported?: string },
  ): Contender | undefined => {
    const { key, contender, ttlMs, mode, exported } = request;
    if (mode === undefined) return undefined;
    return new ModeContender(store, modeKeys(namespace, key), { contender, ttlMs, mode, exported });
  };
  const shared = {
    name: NAME,
    evicts,
    lateCheck,
    runtime: host.runtime,
    nodes: [node],
    ownsNodes: ownsNode,
    pendingReleases,
    marks: redisMarks(node, namespace, NAME),
    adopt: (request: AdoptRequest & { readonly ttlMs: number }) =>
      inMode(request) ?? new SimpleAdopter(store, keysOf(request.key), request),
    inspect: (key: string) => inspect(store, keysOf(key)),
    forceRelease: (key: string) => forceRelease(store, keysOf(key)),
    heldKeys: () => heldKeys(store, namespace),
    health: () => singleNodeHealth(node, host),
  };
  if (fair === true) {
    const queue = new FairQueue(host.runtime.randomId());
    pendingReleases.onClose(() => queue.close());
    return new RedisBackend({
      ...shared,
      capabilities: fairCapabilities,
      contend: (request) =>
        inMode(request) ??
        new FairContender(
          store,
          queue,
          fairKeys(namespace, request.key),
          request.contender,
          request.ttlMs,
        ),
    });
  }
  return new RedisBackend({
    ...shared,
    capabilities,
    contend: (request) =>
      inMode(request) ??
      new SimpleContender(store, keysOf(request.key), request.contender, request.ttlMs),
    contendAll: ({ keys, contender, ttlMs }) => {
      const all = keys.map(keysOf);
      if (node.cluster?.sharesSlot(all.map(({ lock }) => lock)) === false) return undefined;
      return new SimpleContenderForAll(store, all, contender, ttlMs);
    },
  });
}
