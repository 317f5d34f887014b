import type { BackendUnderTest } from '@holdfast/conformance';
import type { RedisLibrary } from '@holdfast/redis';
import { Redis } from 'ioredis';
import { Proxy, RedisServer } from '../../harness/test/kit/real-servers.ts';
import type { RedisBackend } from './redis-backend.ts';

/** Long enough for a busy machine to make its calls within a tenth of it. */
const TTL_MS = 1_000;

/** Real servers, which the checks of one backend use in turn. */
export class Servers {
  readonly #backend: RedisBackend;
  readonly #library: RedisLibrary;
  readonly #servers: readonly RedisServer[];

  private constructor(
    backend: RedisBackend,
    library: RedisLibrary,
    servers: readonly RedisServer[],
  ) {
    this.#backend = backend;
    this.#library = library;
    this.#servers = servers;
  }

  static async start(backend: RedisBackend, library: RedisLibrary): Promise<Servers> {
    const starting = Array.from({ length: backend.servers }, () => RedisServer.start());
    return new Servers(backend, library, await Promise.all(starting));
  }

  subject(): BackendUnderTest {
    const backend = this.#backend;
    const library = this.#library;
    const servers = this.#servers;
    /** Every process has connections of its own, so that its replies alone can be lost. */
    const proxies = new Map<string, readonly Proxy[]>();
    const of = (process: string): readonly Proxy[] => proxies.get(process) ?? [];
    return {
      capabilities: backend.capabilities,
      flaws: backend.flaws ?? {},
      ttlMs: TTL_MS,
      async open(host) {
        const own = await Promise.all(servers.map(({ port }) => Proxy.start(port)));
        proxies.set(host.label, own);
        return await backend.open({ sources: own.map(({ url }) => url), library }, host);
      },
      async close() {
        await Promise.all([...proxies.values()].flat().map((proxy) => proxy.close()));
      },
      faults: {
        stop: async () => servers.forEach((server) => server.stop()),
        resume: async () => servers.forEach((server) => server.resume()),
        loseReplies: async (process) => of(process).forEach((proxy) => proxy.cut('down')),
        restoreReplies: async (process) =>
          of(process).forEach((proxy) => proxy.heal({ drop: true })),
        holdBack: async (process) => of(process).forEach((proxy) => proxy.cut('up', 'open')),
        letThrough: async (process) => {
          of(process).forEach((proxy) => proxy.heal());
          await Promise.all(servers.map(({ port }) => reachable(port)));
        },
        restartEmpty: async () => {
          await Promise.all(servers.map((server) => server.restart()));
        },
        putForeign: (key) => putForeign(servers, backend.lockOf(key)),
      },
    };
  }

  async close(): Promise<void> {
    await Promise.all(this.#servers.map((server) => server.close()));
  }
}

/** The server has got to whatever had arrived there before. */
async function reachable(port: number): Promise<void> {
  const client = new Redis(port);
  await client.ping();
  client.disconnect();
}

async function putForeign(
  servers: readonly RedisServer[],
  name: string,
): Promise<() => Promise<boolean>> {
  const value = 'somebody else’s';
  const onAll = (...command: readonly [string, ...string[]]): Promise<readonly unknown[]> =>
    Promise.all(
      servers.map(async ({ port }) => {
        const client = new Redis(port);
        const reply = await client.call(...command);
        client.disconnect();
        return reply;
      }),
    );
  // With an expiry, as a lock would have: only its value shows that it is not one.
  await onAll('SET', name, value, 'PX', '600000');
  return async () => (await onAll('GET', name)).every((stored) => stored === value);
}
