import type { BackendUnderTest } from '@holdfast/conformance';
import type { Host } from '@holdfast/core/backend';
import { capabilities, openZk } from '@holdfast/zk';
import { Session } from '@holdfast/zk-client';
import {
  fourLetters,
  Proxy,
  ZooKeeperEnsemble,
  ZooKeeperServer,
} from '../../harness/test/kit/real-servers.ts';
import { containerOf, layoutOf } from '../../packages/zk/test/kit/store.ts';

/** T: long enough for a busy machine, on which every row plays at once, to ping within it. No check renews what it does not wait out. */
const TTL_MS = 2_000;
/** In ticks of 100 ms: servers that a check paused do not need to elect a leader again. */
const SYNC_LIMIT = 100;
const LOOK_MS = 20;

/** One process of a check: the ways to the servers that are its own, and its latest session. */
interface Client {
  readonly proxies: readonly Proxy[];
  session: string | undefined;
}

/** Real ZooKeeper servers, which the checks use in turn. */
export class ZkServers {
  readonly #servers: readonly ZooKeeperServer[];

  private constructor(servers: readonly ZooKeeperServer[]) {
    this.#servers = servers;
  }

  static async start(size: 1 | 3): Promise<ZkServers> {
    if (size === 1) return new ZkServers([await ZooKeeperServer.start()]);
    return new ZkServers((await ZooKeeperEnsemble.start({ size, syncLimit: SYNC_LIMIT })).servers);
  }

  subject(): BackendUnderTest {
    const servers = this.#servers;
    const clients = new Map<string, Client>();
    const of = (process: string): readonly Proxy[] => clients.get(process)?.proxies ?? [];
    const closing: (() => Promise<void>)[] = [];
    return {
      capabilities,
      ttlMs: TTL_MS,
      async open(host) {
        const client: Client = {
          proxies: await Promise.all(servers.map(({ port }) => Proxy.start(port))),
          session: undefined,
        };
        clients.set(host.label, client);
        const addresses = client.proxies.map(({ port }) => `127.0.0.1:${port}`);
        const options = { servers: addresses, sessionTimeoutMs: TTL_MS };
        return await openZk(options, noting(host, client));
      },
      async close() {
        // A check that failed may have left them paused, which is no reason for the next one to fail.
        for (const server of servers) server.resume();
        await Promise.all(closing.map((close) => close()));
        const proxies = [...clients.values()].flatMap((client) => client.proxies);
        await Promise.all(proxies.map((proxy) => proxy.close()));
      },
      faults: {
        stop: async () => {
          for (const server of servers) server.stop();
          await Promise.all(servers.map((server) => server.stopped()));
        },
        resume: async () => servers.forEach((server) => server.resume()),
        loseReplies: async (process) => of(process).forEach((proxy) => proxy.cut('down')),
        restoreReplies: async (process) =>
          of(process).forEach((proxy) => proxy.heal({ drop: true })),
        holdBack: async (process) => of(process).forEach((proxy) => proxy.cut('up', 'open')),
        letThrough: async (process) => {
          of(process).forEach((proxy) => proxy.heal());
          await Promise.all(servers.map(({ port }) => fourLetters(port, 'ruok')));
        },
        outlive: async (process) => {
          for (const proxy of of(process)) proxy.cut();
          await this.#ended(clients.get(process)?.session);
          for (const proxy of of(process)) proxy.heal({ drop: true });
        },
        putForeign: (key) => this.#putForeign(key, closing),
      },
    };
  }

  async close(): Promise<void> {
    await Promise.all(this.#servers.map((server) => server.close()));
  }

  /** Resolves when no server knows the session any more. */
  async #ended(session: string | undefined): Promise<void> {
    if (session === undefined) throw new Error('there was no session to end');
    // A server that is too busy to answer has not said that it is gone.
    const isKnown = async (): Promise<boolean> => {
      const dumps = this.#servers.map(({ port }) => fourLetters(port, 'dump'));
      return (await Promise.all(dumps)).some((dump) => dump === '' || dump.includes(session));
    };
    while (await isKnown()) await new Promise((done) => setTimeout(done, LOOK_MS));
  }

  /** Creates a foreign ephemeral node, which can have no children, at the path of the container of `key`. */
  async #putForeign(
    key: string,
    closing: (() => Promise<void>)[],
  ): Promise<() => Promise<boolean>> {
    const session = await Session.open({ servers: this.#servers.map(({ address }) => address) });
    closing.push(() => session.close());
    const path = containerOf(layoutOf('holdfast'), key);
    await session.create(path, 'somebody else’s', { mode: 'ephemeral' });
    return async () => (await session.exists(path)).stat !== undefined;
  }
}

/** The host of a process, whose session is recorded when the backend reports it. */
function noting(host: Host, client: Client): Host {
  return {
    ...host,
    emit: (event) => {
      const id =
        event.type === 'node' ? /^session (0x[\da-f]+)$/.exec(event.outcome)?.[1] : undefined;
      client.session = id ?? client.session;
      host.emit(event);
    },
  };
}
