import { type Locks } from '@holdfast/core';
import { type Backend, createHost, createLocks, type ListenableHost } from '@holdfast/core/backend';
import { Cluster } from 'ioredis';
import { createCluster } from 'redis';
import {
  RedisCluster,
  type RedisClusterNode,
} from '../../../../../harness/test/kit/real-servers.ts';
import { openRedisSimple, type RedisSimpleOptions } from '../../../src/index.ts';

export const PASSWORD = 'a-secret-of-clusters';

/** Ways to name one cluster that mean the same. */
const OPTIONS = {
  'URL, ioredis': ({ url }) => ({ source: url, library: 'ioredis' }),
  'URL, redis': ({ url }) => ({ source: url, library: 'redis' }),
  'Cluster of ioredis': ({ masters }) => {
    const port = masters[0]?.server.port ?? 0;
    const redisOptions = { password: PASSWORD, keyPrefix: 'ignored:' };
    const nodes = [{ host: '127.0.0.1', port }];
    return { source: new Cluster(nodes, { redisOptions, lazyConnect: true }) };
  },
  createCluster: ({ masters }) => {
    const rootNodes = [{ url: `redis://${masters[0]?.address}` }];
    return { source: createCluster({ rootNodes, defaults: { password: PASSWORD } }) };
  },
} satisfies Record<string, (cluster: RedisCluster) => RedisSimpleOptions>;

type Way = keyof typeof OPTIONS;

export const WAYS: readonly Way[] = [
  'URL, ioredis',
  'URL, redis',
  'Cluster of ioredis',
  'createCluster',
];

/** A real cluster that wants a password, and backends on it. */
export class ClusterWorld {
  readonly cluster: RedisCluster;
  readonly host: ListenableHost = createHost({ label: 'box:1' });
  readonly #opened: Backend[] = [];

  private constructor(cluster: RedisCluster) {
    this.cluster = cluster;
  }

  static async start(
    options: Parameters<typeof RedisCluster.start>[0] = {},
  ): Promise<ClusterWorld> {
    return new ClusterWorld(await RedisCluster.start({ password: PASSWORD, ...options }));
  }

  async open(options: RedisSimpleOptions = { source: this.cluster.url }): Promise<Backend> {
    const backend = await openRedisSimple(options, this.host);
    this.#opened.push(backend);
    return backend;
  }

  openBy(way: Way): Promise<Backend> {
    return this.open(OPTIONS[way](this.cluster));
  }

  /** What users have: with waiting, renewal and several keys. */
  locks(backend: Backend): Locks {
    return createLocks(backend, this.host);
  }

  /** The slot of a lock. */
  async slotOf(key: string): Promise<number> {
    return Number(await this.cluster.masters[0]?.ask('CLUSTER', 'KEYSLOT', `{${key}}`));
  }

  async masterOf(key: string): Promise<RedisClusterNode> {
    return await this.cluster.ownerOf(await this.slotOf(key));
  }

  /** Any master but the one of this key. */
  async otherThan(key: string): Promise<RedisClusterNode> {
    const owner = await this.masterOf(key);
    const other = this.cluster.masters.find((each) => each !== owner);
    if (other === undefined) throw new Error('there is one master only');
    return other;
  }

  /** As many different keys as wanted that share one slot. */
  async keysOfOneSlot(prefix: string, count: number): Promise<readonly string[]> {
    const bySlot = new Map<number, string[]>();
    const names = Array.from({ length: 4_000 }, (_, n) => `${prefix}${n}`);
    const slots = await Promise.all(names.map((name) => this.slotOf(name)));
    for (const [at, slot] of slots.entries()) {
      const keys = [...(bySlot.get(slot) ?? []), names[at] ?? ''];
      if (keys.length === count) return keys;
      bySlot.set(slot, keys);
    }
    throw new Error('no slot has so many of them');
  }

  /** As many keys of different slots as wanted, all on one master. */
  async keysOnOneMaster(prefix: string, count: number): Promise<readonly string[]> {
    const byMaster = new Map<RedisClusterNode, string[]>();
    for (let n = 0; ; n++) {
      const key = `${prefix}/${n}`;
      const master = await this.masterOf(key);
      const keys = [...(byMaster.get(master) ?? []), key];
      if (keys.length === count) return keys;
      byMaster.set(master, keys);
    }
  }

  /** One key for each master. */
  async keysOnEachMaster(prefix: string): Promise<readonly string[]> {
    const byMaster = new Map<RedisClusterNode, string>();
    for (let n = 0; byMaster.size < this.cluster.masters.length; n++)
      byMaster.set(await this.masterOf(`${prefix}/${n}`), `${prefix}/${n}`);
    return [...byMaster.values()];
  }

  async close(): Promise<void> {
    await Promise.all(this.#opened.map((backend) => backend.close({ timeoutMs: 1_000 })));
    await this.cluster.close();
  }
}

/** All keys that a backend lists, of all pages. */
export async function heldKeysOf(backend: Backend): Promise<string[]> {
  const keys: string[] = [];
  for await (const page of backend.heldKeys?.() ?? []) keys.push(...page);
  return keys;
}
