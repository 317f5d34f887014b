import * as shipped from '@holdfast/redis/links';
import type { SimProcess } from '../../../sim/process.ts';
import type { ClientView } from '../../../sim/schedule/cluster.ts';
import type { ClientId, Schedule } from '../../../sim/schedule/schedule.ts';
import type { World } from '../../../sim/world.ts';
import { RedisCluster, type RedisClusterOptions } from './cluster.ts';
import { Labels } from './link.ts';
import { nodeBy, simDialer } from './node.ts';
import { MASTER_NAME, SimSentinel } from './sentinel.ts';
import type { SimRedisServer } from './server.ts';
import type { SimRedisService } from './service.ts';

export interface SentinelClusterOptions
  extends Omit<RedisClusterOptions, 'size' | 'isShared' | 'hasReplicas' | 'beside'> {
  /** The client code that asks sentinels; by default what ships. */
  readonly client?: Pick<typeof shipped, 'SentinelDialer'> | undefined;
  /**
   * True if a failover was over before the clients came, while the old master still runs beside a sentinel that has not
   * heard of it. Clients reach all of them.
   */
  readonly isSplit: boolean;
}

/** The time in which sentinels miss a master, agree and vote: less than a ttl, so that keys outlive it. */
const PROMOTION_MS = 300;
const CONNECT_MS = 2_000;

/** A master and its replica, and three sentinels that choose between them. Clients find the master by the shipped code. */
export class SentinelRedisCluster extends RedisCluster {
  readonly #world: World;
  readonly #client: Pick<typeof shipped, 'SentinelDialer'>;
  readonly #pair: SimRedisService;
  readonly #servers: readonly [SimRedisServer, SimRedisServer];
  /** One on the side of the first server, two on that of its replica: those are a majority. */
  readonly #sentinels: readonly SimSentinel[];
  readonly #clients = new Map<string, SimProcess>();
  #epoch = 0;

  constructor(world: World, schedule: Schedule, options: SentinelClusterOptions) {
    const beside = (name: string): readonly SimSentinel[] => this.#beside(name);
    super(world, schedule, { ...options, size: 1, isShared: false, hasReplicas: true, beside });
    const [pair] = this.services;
    if (pair?.replica === undefined) throw new Error('sentinels need a master and its replica');
    const config = { host: pair.master.name, epoch: 0 };
    this.#world = world;
    this.#client = options.client ?? shipped;
    this.#pair = pair;
    this.#servers = [pair.master, pair.replica];
    this.#sentinels = ['s1', 's2', 's3'].map((name) => new SimSentinel(world, name, config));
    for (const each of this.#sentinels) each.meets(this.#sentinels);
    if (!options.isSplit) return;
    pair.promoteBeside();
    this.#elected(this.#sentinels.slice(1));
  }

  override view(process: SimProcess): ClientView {
    const labels = new Labels();
    const parts = { network: this.network, labels };
    const dialer = new this.#client.SentinelDialer({
      runtime: process.runtime,
      address: MASTER_NAME,
      name: MASTER_NAME,
      connectMs: CONNECT_MS,
      sentinels: this.#listFor(process).map((server) =>
        simDialer(process, server.name, parts, () => ({ server })),
      ),
      dialMaster: ({ host }) =>
        simDialer(process, host, parts, () => ({ server: this.#serverAt(host) })),
    });
    return { nodes: [nodeBy(process, dialer, labels, { connectMs: CONNECT_MS })] };
  }

  override failover(mask: number, ms: number): readonly string[] {
    return this.onPairs(mask, (pair) => {
      this.noteLoss(pair);
      pair.failover({ afterMs: ms, promoted: () => this.#elected(this.#sentinels) });
    });
  }

  /** The network falls in two: the master, a sentinel and the clients that stay, and all others. */
  override splitBrain(mask: number, ms: number, stay: readonly ClientId[]): readonly string[] {
    return this.onPairs(mask, ({ master, replica }) => {
      if (replica === undefined) return;
      for (const client of this.#clients.values())
        this.#cut(ms, client, stay.includes(client.name) ? replica : master);
      this.#cut(ms, master, replica);
      this.#isolate(ms, this.#beside(replica.name));
    });
  }

  /** The master is cut from its replica and from all sentinels. Clients reach all of them. */
  override cutPeers(mask: number, ms: number, way?: 'out' | 'in'): readonly string[] {
    const affected = super.cutPeers(mask, ms, way);
    if (affected.length > 0) this.#isolate(ms, this.#sentinels);
    return affected;
  }

  #cut(ms: number, from: SimProcess | SimRedisServer, to: SimRedisServer): void {
    this.#world.after(ms, this.network.cut(from, to));
  }

  /** A master that sentinels miss for too long is replaced while it lives; once the cut is over, it becomes a replica. */
  #isolate(ms: number, voters: readonly SimSentinel[]): void {
    const old = this.#pair.master;
    if (ms <= PROMOTION_MS) return;
    this.#world.after(PROMOTION_MS, () => {
      if (this.#pair.master !== old || this.#pair.replica === undefined || !old.isUp) return;
      this.noteLoss(this.#pair);
      const heal = this.#pair.promoteBeside();
      this.#elected(voters);
      this.#world.after(ms - PROMOTION_MS, () => {
        heal();
        this.#tell(this.#sentinels);
      });
    });
  }

  /** The first voter leads. */
  #elected([leader, ...others]: readonly SimSentinel[]): void {
    this.#epoch += 1;
    leader?.learn(this.#config, 'led');
    this.#tell(others);
  }

  #tell(sentinels: readonly SimSentinel[]): void {
    for (const each of sentinels) each.learn(this.#config, 'heard');
  }

  get #config(): { host: string; epoch: number } {
    return { host: this.#pair.master.name, epoch: this.#epoch };
  }

  /** The sentinels on the side of a server. */
  #beside(name: string): readonly SimSentinel[] {
    const [first, second] = this.#servers;
    if (name === first.name) return this.#sentinels.slice(0, 1);
    return name === second.name ? this.#sentinels.slice(1) : [];
  }

  /** Clients list the sentinels in different orders. */
  #listFor(process: SimProcess): readonly SimSentinel[] {
    this.#clients.set(process.name, process);
    const at = [...this.#clients.keys()].indexOf(process.name) % this.#sentinels.length;
    return [...this.#sentinels.slice(at), ...this.#sentinels.slice(0, at)];
  }

  #serverAt(host: string): SimRedisServer {
    const server = this.#servers.find(({ name }) => name === host);
    if (server === undefined) throw new Error(`there is no server ${host}`);
    return server;
  }
}
