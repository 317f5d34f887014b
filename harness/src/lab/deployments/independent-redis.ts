import type { Opening } from '../../real/index.ts';
import type { RestartData, ServerTarget } from '../../simulator/index.ts';
import { LabRedis } from '../servers/lab-redis.ts';
import { ClientLinks } from './client-links.ts';
import {
  type LockOnClusterOptions,
  openingAt,
  type RealCluster,
  type RealMember,
} from './real-cluster.ts';

export interface IndependentOptions {
  readonly size: number;
  /** True if the servers keep logs. */
  readonly durable?: boolean;
}

/** Independent Redis servers, or a single one. */
export class IndependentRedis implements RealCluster {
  readonly #options: LockOnClusterOptions;
  readonly #servers: readonly RedisMember[];
  readonly links: ClientLinks;

  private constructor(
    options: LockOnClusterOptions,
    servers: readonly LabRedis[],
    links: ClientLinks,
  ) {
    this.#options = options;
    this.#servers = servers.map((server) => new RedisMember(server));
    this.links = links;
  }

  static async open(
    options: LockOnClusterOptions,
    { size, durable = false }: IndependentOptions,
  ): Promise<IndependentRedis> {
    const { serverFactory, proxies, clientCount, shim } = options;
    const starts = Array.from({ length: size }, () =>
      LabRedis.start(serverFactory, { shim, durable }),
    );
    const servers = await Promise.all(starts);
    const targets = servers.map(({ port }) => port);
    const links = await ClientLinks.open(proxies, clientCount, targets);
    return new IndependentRedis(options, servers, links);
  }

  opening(place: number): Opening {
    return openingAt(this.#options, this.links.portsOf(place));
  }

  async members(which: ServerTarget): Promise<readonly RealMember[]> {
    if (which === 'majority')
      return this.#servers.slice(0, Math.floor(this.#servers.length / 2) + 1);
    if (typeof which === 'string') return this.#servers;
    return which.flatMap((place) => this.#servers[place] ?? []);
  }

  async close(): Promise<void> {
    await this.links.close();
    await Promise.all(this.#servers.map((server) => server.close()));
  }
}

class RedisMember implements RealMember {
  readonly #server: LabRedis;
  #kept = 0;

  constructor(server: LabRedis) {
    this.#server = server;
  }

  stop(): void {
    this.#server.stop();
  }

  resume(): void {
    this.#server.resume();
  }

  crash(): Promise<void> {
    return this.#server.kill();
  }

  /** Restarts it: without a log it is empty, with one it has its data. */
  async restart(data: RestartData): Promise<void> {
    await this.#server.kill();
    if (data === 'torn') await this.#server.truncateLog(this.#kept);
    await this.#server.restart();
  }

  async keepLog(): Promise<void> {
    this.#kept = (await this.#server.logLength()) ?? 0;
  }

  jumpWall(ms: number): Promise<void> {
    return this.#server.jump(ms);
  }

  close(): Promise<void> {
    return this.#server.close();
  }
}
