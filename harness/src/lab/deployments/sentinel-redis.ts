import type { Opening } from '../../real/index.ts';
import { Sentinels } from '../servers/sentinels.ts';
import { type LockOnClusterOptions, openingAt, type RealCluster } from './real-cluster.ts';
import { RedisPair } from './redis-pair.ts';

/** Short, to keep trials short; Sentinel's own default is 30 000. */
export const DOWN_AFTER_MS: number = 500;

/**
 * A master and a replica, monitored by three Sentinels. Clients reach the master by an address that moves as soon as a Sentinel
 * reports the new master, as behind a Sentinel-aware proxy.
 */
export class SentinelRedis implements RealCluster {
  readonly #options: LockOnClusterOptions;
  readonly #pair: RedisPair;
  readonly #sentinels: Sentinels;
  readonly #ending = new AbortController();
  #following: Promise<void> = Promise.resolve();

  private constructor(options: LockOnClusterOptions, pair: RedisPair, sentinels: Sentinels) {
    this.#options = options;
    this.#pair = pair;
    this.#sentinels = sentinels;
  }

  static async open(options: LockOnClusterOptions): Promise<SentinelRedis> {
    const pair = await RedisPair.open(options);
    try {
      const sentinels = await Sentinels.start(
        options.serverFactory,
        pair.master.port,
        DOWN_AFTER_MS,
      );
      return new SentinelRedis(options, pair, sentinels);
    } catch (error) {
      await pair.close();
      throw error;
    }
  }

  opening(place: number): Opening {
    return openingAt(this.#options, this.#pair.links.portsOf(place));
  }

  stopReplication(): Promise<void> {
    return this.#pair.link.cut();
  }

  /** Kills the master; the Sentinels do the rest. */
  async failover(): Promise<void> {
    await this.#pair.master.kill();
    this.#following = this.#follow();
  }

  async close(): Promise<void> {
    this.#ending.abort();
    await this.#following;
    await this.#sentinels.close();
    await this.#pair.close();
  }

  async #follow(): Promise<void> {
    const port = await this.#sentinels.masterMoved(this.#pair.master.port, this.#ending.signal);
    if (port !== undefined) await this.#pair.links.retarget(0, port);
  }
}
