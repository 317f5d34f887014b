import type { BackendUnderTest } from '@holdfast/conformance';
import type { RedisLibrary } from '@holdfast/redis';
import { capabilities, fairCapabilities, openRedisSimple } from '@holdfast/redis-simple';
import { Proxy, RedisCluster } from '../../harness/test/kit/real-servers.ts';

/** Long enough for a busy machine to make its calls within a tenth of it. */
const TTL_MS = 1_000;
/** Longer than any check stops the servers: they must not take each other for dead. */
const NODE_TIMEOUT_MS = 60_000;

/** A real cluster behind proxies, whose addresses clients learn by a `natMap`. */
export class ClusterServers {
  readonly #cluster: RedisCluster;
  readonly #library: RedisLibrary;

  private constructor(cluster: RedisCluster, library: RedisLibrary) {
    this.#cluster = cluster;
    this.#library = library;
  }

  static async start(library: RedisLibrary): Promise<ClusterServers> {
    const options = { replicas: 0, nodeTimeoutMs: NODE_TIMEOUT_MS };
    return new ClusterServers(await RedisCluster.start(options), library);
  }

  subject(lockOf: (key: string) => string, { fair = false } = {}): BackendUnderTest {
    const cluster = this.#cluster;
    const library = this.#library;
    const { masters } = cluster;
    const proxies = new Map<string, readonly Proxy[]>();
    const of = (process: string): readonly Proxy[] => proxies.get(process) ?? [];
    return {
      capabilities: fair ? fairCapabilities : capabilities,
      ttlMs: TTL_MS,
      async open(host) {
        const own = await Promise.all(masters.map(({ server }) => Proxy.start(server.port)));
        proxies.set(host.label, own);
        const places = own.map(({ port }) => ({ host: '127.0.0.1', port }));
        const natMap = Object.fromEntries(
          masters.map(({ address }, at) => [address, places[at] ?? { host: '', port: 0 }]),
        );
        const source = `redis+cluster://${places.map(({ port }) => `127.0.0.1:${port}`).join(',')}`;
        return await openRedisSimple({ source, natMap, library, fair }, host);
      },
      async close() {
        await Promise.all([...proxies.values()].flat().map((proxy) => proxy.close()));
      },
      faults: {
        stop: async () => masters.forEach(({ server }) => server.stop()),
        resume: async () => masters.forEach(({ server }) => server.resume()),
        loseReplies: async (process) => of(process).forEach((proxy) => proxy.cut('down')),
        restoreReplies: async (process) =>
          of(process).forEach((proxy) => proxy.heal({ drop: true })),
        holdBack: async (process) => of(process).forEach((proxy) => proxy.cut('up', 'open')),
        letThrough: async (process) => {
          of(process).forEach((proxy) => proxy.heal());
          await Promise.all(masters.map((master) => master.ask('PING')));
        },
        restartEmpty: async () => {
          await Promise.all(masters.map(({ server }) => server.restart()));
          await cluster.untilServing();
        },
        putForeign: async (key) => {
          const name = lockOf(key);
          const slot = Number(await masters[0]?.ask('CLUSTER', 'KEYSLOT', name));
          const owner = await cluster.ownerOf(slot);
          await owner.ask('SET', name, 'not ours', 'PX', '600000');
          return async () => (await owner.ask('GET', name)) === 'not ours';
        },
      },
    };
  }

  async close(): Promise<void> {
    await this.#cluster.close();
  }
}
