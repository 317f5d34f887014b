import { setTimeout as sleep } from 'node:timers/promises';
import type { Opening, ProxyPort } from '../../plant/index.ts';
import { LabRedis } from '../servers/lab-redis.ts';
import { ClientLinks } from './client-links.ts';
import {
  type ClusterOptions,
  type LockOnClusterOptions,
  openingAt,
  type RealCluster,
} from './real-cluster.ts';

const POLL_MS = 5;
const SYNCED_MS = 10_000;

/** A master and its replica, which hears of it through a proxy; clients reach whoever is master by an address that moves. */
export class RedisPair {
  readonly master: LabRedis;
  readonly replica: LabRedis;
  readonly links: ClientLinks;
  /** From the replica to its master. */
  readonly link: ProxyPort;

  private constructor(own: {
    master: LabRedis;
    replica: LabRedis;
    ways: ClientLinks;
    link: ProxyPort;
  }) {
    this.master = own.master;
    this.replica = own.replica;
    this.links = own.ways;
    this.link = own.link;
  }

  /** Resolves once the replica has what the master has. */
  static async open({ serverFactory, proxies, clientCount }: ClusterOptions): Promise<RedisPair> {
    // Else the master waits 5 s for more replicas before it sends its data to the first.
    const args = ['--repl-diskless-sync-delay', '0'];
    const [master, replica] = await Promise.all([
      LabRedis.start(serverFactory, { args }),
      LabRedis.start(serverFactory, { args }),
    ]);
    const link = await proxies.open(master.port);
    const ways = await ClientLinks.open(proxies, clientCount, [master.port]);
    const pair = new RedisPair({ master, replica, ways, link });
    await replica.command('REPLICAOF', '127.0.0.1', `${link.port}`);
    await pair.#synced();
    return pair;
  }

  /** The replica becomes a master; clients of these places, or of all, are sent there. */
  async promote(places?: readonly number[]): Promise<void> {
    await this.replica.command('REPLICAOF', 'NO', 'ONE');
    await this.links.retarget(0, this.replica.port, places);
  }

  async close(): Promise<void> {
    await this.links.close();
    await this.link.close();
    await Promise.all([this.master.close(), this.replica.close()]);
  }

  async #synced(): Promise<void> {
    const untilMs = performance.now() + SYNCED_MS;
    while (performance.now() < untilMs) {
      const told = String(await this.replica.command('INFO', 'replication'));
      if (told.includes('master_link_status:up')) return;
      await sleep(POLL_MS);
    }
    throw new Error('the replica did not come up with its master');
  }
}

/** A pair whose replica is promoted at once, by whoever runs it. */
export class ReplicatedRedis implements RealCluster {
  readonly #parts: LockOnClusterOptions;
  readonly #pair: RedisPair;

  private constructor(parts: LockOnClusterOptions, pair: RedisPair) {
    this.#parts = parts;
    this.#pair = pair;
  }

  static async open(parts: LockOnClusterOptions): Promise<ReplicatedRedis> {
    return new ReplicatedRedis(parts, await RedisPair.open(parts));
  }

  get links(): ClientLinks {
    return this.#pair.links;
  }

  opening(place: number): Opening {
    return openingAt(this.#parts, this.links.portsOf(place));
  }

  stopReplication(): Promise<void> {
    return this.#pair.link.cut();
  }

  async failover(): Promise<void> {
    await this.#pair.master.kill();
    await this.#pair.promote();
  }

  splitBrain(stay: readonly number[]): Promise<void> {
    const places = Array.from({ length: this.#parts.clientCount }, (_, place) => place);
    return this.#pair.promote(places.filter((place) => !stay.includes(place)));
  }

  /** The replica from its master. */
  cutPeers(): Promise<void> {
    return this.#pair.link.cut();
  }

  healPeers(): Promise<void> {
    return this.#pair.link.heal();
  }

  close(): Promise<void> {
    return this.#pair.close();
  }
}
