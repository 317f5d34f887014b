import type { BackendUnderTest } from '@holdfast/conformance';
import { capabilities, openEtcd } from '@holdfast/etcd';
import { paused } from '../../harness/test/kit/paused.ts';
import { EtcdEnsemble, EtcdServer, etcdctl, Proxy } from '../../harness/test/kit/real-servers.ts';

/** Rules that no lock on leases of etcd can keep. */
export const ETCD_FLAWS: Readonly<Record<string, string>> = {
  'the shortest and the longest ttl are granted as requested':
    'leases last whole seconds, so 100 ms become one second',
};

/** A key in the queue of `key` that no lock wrote, if it has no lease. */
export function foreignKeyOf(key: string): string {
  return `holdfast/v1/locks/${encodeURIComponent(key)}/theirs`;
}

/** Real etcd servers, which the checks use in turn. */
export class EtcdServers {
  readonly #servers: readonly EtcdServer[];

  private constructor(servers: readonly EtcdServer[]) {
    this.#servers = servers;
  }

  static async start(size: 1 | 3): Promise<EtcdServers> {
    if (size === 1) return new EtcdServers([await EtcdServer.start()]);
    return new EtcdServers((await EtcdEnsemble.start({ size })).servers);
  }

  subject(): BackendUnderTest {
    const servers = this.#servers;
    const clients = new Map<string, readonly Proxy[]>();
    const of = (process: string): readonly Proxy[] => clients.get(process) ?? [];
    return {
      capabilities,
      flaws: ETCD_FLAWS,
      // A keep-alive, and a read behind it.
      renewalCalls: 2,
      async open(host) {
        const proxies = await Promise.all(servers.map(({ port }) => Proxy.start(port)));
        clients.set(host.label, proxies);
        return await openEtcd({ servers: proxies.map(({ port }) => `127.0.0.1:${port}`) }, host);
      },
      async close() {
        // A check that failed may have left them paused, which is no reason for the next one to fail.
        for (const server of servers) server.resume();
        await Promise.all([...clients.values()].flat().map((proxy) => proxy.close()));
      },
      faults: {
        stop: async () => {
          for (const server of servers) server.stop();
          await Promise.all(servers.map(({ pid = 0 }) => paused(pid)));
        },
        resume: async () => servers.forEach((server) => server.resume()),
        loseReplies: async (process) => of(process).forEach((proxy) => proxy.cut('down')),
        restoreReplies: async (process) =>
          of(process).forEach((proxy) => proxy.heal({ drop: true })),
        holdBack: async (process) => of(process).forEach((proxy) => proxy.cut('up', 'open')),
        letThrough: async (process) => {
          of(process).forEach((proxy) => proxy.heal());
          await Promise.all(servers.map(({ address }) => etcdctl(address, ['get', 'settled'])));
        },
        putForeign: (key) => this.#putForeign(key),
      },
    };
  }

  async close(): Promise<void> {
    await Promise.all(this.#servers.map((server) => server.close()));
  }

  /** Writes a key without a lease, as no lock does, into the queue of `key`. */
  async #putForeign(key: string): Promise<() => Promise<boolean>> {
    const [{ address } = { address: '' }] = this.#servers;
    const stored = foreignKeyOf(key);
    await etcdctl(address, ['put', stored, 'somebody else’s']);
    return async () => (await etcdctl(address, ['get', stored, '--print-value-only'])) !== '';
  }
}
