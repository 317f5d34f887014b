import { type LockEvent, type Locks, type LocksOptions } from '@holdfast/core';
import { type Backend, createHost, createLocks, type ListenableHost } from '@holdfast/core/backend';
import { Redis } from 'ioredis';
import { Proxy, RedisServer } from '../../../../../harness/test/kit/real-servers.ts';
import { until } from '../../../../../test/support/contending.ts';
import { openRedlock, type RedlockOptions } from '../../../src/index.ts';

/** One server, a proxy in front of it, and a client that bypasses the proxy. */
export interface ProxiedNode {
  readonly server: RedisServer;
  readonly proxy: Proxy;
  readonly raw: Redis;
}

export const voteOf = (key: string): string => `holdfast:v1:{${key}}:vote`;

/** Independent real servers, backends over them, and all that they report. */
export class ProxiedNodes {
  readonly all: readonly ProxiedNode[];
  readonly events: LockEvent[] = [];
  readonly #backends: Backend[] = [];

  private constructor(all: readonly ProxiedNode[]) {
    this.all = all;
  }

  static async start(
    count = 5,
    options: { readonly durable?: boolean } = {},
  ): Promise<ProxiedNodes> {
    const starting = Array.from({ length: count }, async (): Promise<ProxiedNode> => {
      const server = await RedisServer.start(options);
      const raw = new Redis(server.port, { retryStrategy: () => 20 });
      raw.on('error', () => undefined);
      return { server, proxy: await Proxy.start(server.port), raw };
    });
    return new ProxiedNodes(await Promise.all(starting));
  }

  get host(): ListenableHost {
    const host = createHost({ label: 'box:1' });
    const emit = (event: LockEvent): void => {
      this.events.push(event);
      host.emit(event);
    };
    return { ...host, emit, hears: () => true };
  }

  /** Through the proxies. */
  async open(options: Partial<RedlockOptions> = {}): Promise<Backend> {
    const sources = this.all.map(({ proxy }) => proxy.url);
    const backend = await openRedlock({ sources, ...options }, this.host);
    this.#backends.push(backend);
    return backend;
  }

  async locks(options: Partial<RedlockOptions> = {}, defaults: LocksOptions = {}): Promise<Locks> {
    return createLocks(await this.open(options), this.host, defaults);
  }

  /** The stored vote of every server, in order. */
  async votes(key: string): Promise<(string | null)[]> {
    return await Promise.all(this.all.map(({ raw }) => raw.get(voteOf(key))));
  }

  async untilVotes(key: string, count: number): Promise<void> {
    await until(async () => {
      const votes = await this.votes(key);
      return votes.filter((vote) => vote !== null).length === count;
    });
  }

  /** Gives votes to another contender. */
  async give(
    places: readonly ProxiedNode[],
    key: string,
    owner: string,
    ms: number,
  ): Promise<void> {
    await Promise.all(places.map(({ raw }) => raw.set(voteOf(key), owner, 'PX', ms)));
  }

  /** The nodes that events with this outcome name. */
  reported(outcome: string): string[] {
    return this.events.flatMap((event) =>
      event.type === 'node' && event.outcome === outcome ? [event.node] : [],
    );
  }

  async close(): Promise<void> {
    for (const { server, proxy } of this.all) {
      server.resume();
      proxy.heal({ drop: true });
    }
    await Promise.all(this.#backends.map((backend) => backend.close({ timeoutMs: 1_000 })));
    await Promise.all(
      this.all.map(async ({ server, proxy, raw }) => {
        raw.disconnect();
        await proxy.close();
        await server.close();
      }),
    );
  }
}
