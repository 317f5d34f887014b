import { setTimeout as sleep } from 'node:timers/promises';
import type { Opening, ProxyPort } from '../../real/index.ts';
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

/**
 * A master and its replica, which replicates through a proxy. Clients reach the current master by an address that
 * moves.
 */
export class RedisPair {
  readonly master: LabRedis;
  readonly replica: LabRedis;
  readonly links: ClientLinks;
  /** The proxy between the replica and its master. */
  readonly link: ProxyPort;

  private constructor(own: {
    master: LabRedis;
    replica: LabRedis;
    links: ClientLinks;
    link: ProxyPort;
  }) {
    this.master = own.master;
    this.replica = own.replica;
    this.links = own.links;
    this.link = own.link;
  }

  /** Resolves once the replica is in sync with the master. */
  static async open({ serverFactory, proxies, clientCount }: ClusterOptions): Promise<RedisPair> {
    // By default the master waits 5 s for more replicas before it sends its data to the first.
    const args = ['--repl-diskless-sync-delay', '0'];
    const [master, replica] = await Promise.all([
      LabRedis.start(serverFactory, { args }),
      LabRedis.start(serverFactory, { args }),
    ]);
    const link = await proxies.open(master.port);
    const links = await ClientLinks.open(proxies, clientCount, [master.port]);
    const pair = new RedisPair({ master, replica, links, link });
    await replica.command('REPLICAOF', '127.0.0.1', `${link.port}`);
    await pair.#synced();
    return pair;
  }

  /** Promotes the replica, and redirects these clients, or all, to it. */
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
      const info = String(await this.replica.command('INFO', 'replication'));
      if (info.includes('master_link_status:up')) return;
      await sleep(POLL_MS);
    }
    throw new Error(`the replica was not in sync with its master within ${SYNCED_MS} ms`);
  }
}

/** A pair whose replica the lab itself promotes, at once. */
export class ReplicatedRedis implements RealCluster {
  readonly #options: LockOnClusterOptions;
  readonly #pair: RedisPair;

  private constructor(options: LockOnClusterOptions, pair: RedisPair) {
    this.#options = options;
    this.#pair = pair;
  }

  static async open(options: LockOnClusterOptions): Promise<ReplicatedRedis> {
    return new ReplicatedRedis(options, await RedisPair.open(options));
  }

  get links(): ClientLinks {
    return this.#pair.links;
  }

  opening(place: number): Opening {
    return openingAt(this.#options, this.links.portsOf(place));
  }

  stopReplication(): Promise<void> {
    return this.#pair.link.cut();
  }

  async failover(): Promise<void> {
    await this.#pair.master.kill();
    await this.#pair.promote();
  }

  splitBrain(stay: readonly number[]): Promise<void> {
    const places = Array.from({ length: this.#options.clientCount }, (_, place) => place);
    return this.#pair.promote(places.filter((place) => !stay.includes(place)));
  }

  /** Cuts the replica from its master. */
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
