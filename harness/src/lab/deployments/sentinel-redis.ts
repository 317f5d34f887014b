import type { Opening } from '../../plant/index.ts';
import { Sentinels } from '../servers/sentinels.ts';
import { type LockOnClusterOptions, openingAt, type RealCluster } from './real-cluster.ts';
import { RedisPair } from './redis-pair.ts';

/** Short, for somebody waits; Sentinel's own default is 30 000. */
export const DOWN_AFTER_MS: number = 500;

/**
 * A master and a replica watched over by three Sentinels. Clients reach the master by an address that moves as soon as
 * a Sentinel says where: what a Sentinel-aware proxy does.
 */
export class SentinelRedis implements RealCluster {
  readonly #parts: LockOnClusterOptions;
  readonly #pair: RedisPair;
  readonly #sentinels: Sentinels;
  readonly #ending = new AbortController();
  #following: Promise<void> = Promise.resolve();

  private constructor(parts: LockOnClusterOptions, pair: RedisPair, sentinels: Sentinels) {
    this.#parts = parts;
    this.#pair = pair;
    this.#sentinels = sentinels;
  }

  static async open(parts: LockOnClusterOptions): Promise<SentinelRedis> {
    const pair = await RedisPair.open(parts);
    try {
      const sentinels = await Sentinels.start(parts.serverFactory, pair.master.port, DOWN_AFTER_MS);
      return new SentinelRedis(parts, pair, sentinels);
    } catch (error) {
      await pair.close();
      throw error;
    }
  }

  opening(place: number): Opening {
    return openingAt(this.#parts, this.#pair.links.portsOf(place));
  }

  stopReplication(): Promise<void> {
    return this.#pair.link.cut();
  }

  /** The master dies; the rest is up to the Sentinels. */
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
