import { setTimeout as sleep } from 'node:timers/promises';
import type {
  Opening,
  Proxies,
  ProxyPort,
  ServerFactory,
  ZooKeeperEnsemble,
  ZooKeeperServer,
} from '../../real/index.ts';
import { ClientLinks } from './client-links.ts';
import { type LockOnClusterOptions, openingAt, type RealCluster } from './real-cluster.ts';

/**
 * Longer than a ttl, in ticks of 100 ms: the leader ends the sessions of a lost follower before the follower gives up.
 */
const SYNC_LIMIT = 20;
/**
 * In ticks. A proxy accepts before the leader listens, so a follower that connects too early has to look for a leader
 * again.
 */
const INIT_LIMIT = 15;
const POLL_MS = 20;
const SERVES_MS = 30_000;

/** An ensemble whose followers reach their leader through proxies. */
export interface LinkedServers {
  readonly servers: ZooKeeperEnsemble;
  /** The proxies, by `from>to`; servers count from 1. */
  readonly links: ReadonlyMap<string, ProxyPort>;
}

export async function startLinked(
  serverFactory: ServerFactory,
  proxies: Proxies,
): Promise<LinkedServers> {
  if (serverFactory.zookeeper === undefined) throw new Error('ZooKeeper is not installed');
  const links = new Map<string, ProxyPort>();
  const servers = await serverFactory.zookeeper.start({
    syncLimit: SYNC_LIMIT,
    config: { initLimit: INIT_LIMIT },
    async peersThrough({ from, to, use, port }) {
      if (use === 'election') return port;
      const proxy = await proxies.open(port);
      links.set(`${from}>${to}`, proxy);
      return proxy.port;
    },
  });
  return { servers, links };
}

interface Roles {
  /** The follower that the holder is connected to. */
  readonly follower: number;
  readonly other: number;
  readonly leader: number;
}

/**
 * One trial on an ensemble whose members are cut from each other. The holder knows only one follower, the other clients
 * know the rest.
 */
export class LinkedEnsemble implements RealCluster {
  readonly #options: LockOnClusterOptions;
  readonly #linked: LinkedServers;
  readonly #roles: Roles;
  readonly links: ClientLinks;

  private constructor(
    options: LockOnClusterOptions,
    linked: LinkedServers,
    own: { roles: Roles; links: ClientLinks },
  ) {
    this.#options = options;
    this.#linked = linked;
    this.#roles = own.roles;
    this.links = own.links;
  }

  static async open(options: LockOnClusterOptions, linked: LinkedServers): Promise<LinkedEnsemble> {
    const members = linked.servers.servers;
    const leader = members.indexOf(await serving(linked.servers));
    const [follower = 0, other = 0] = members.map((_, index) => index).filter((i) => i !== leader);
    const targets = members.map(({ port }) => port);
    const links = await ClientLinks.open(options.proxies, options.clientCount, targets);
    return new LinkedEnsemble(options, linked, { roles: { follower, other, leader }, links });
  }

  opening(place: number): Opening {
    const { follower } = this.#roles;
    const ports = this.links.portsOf(place);
    const known = ports.filter((_, index) => (place === 0) === (index === follower));
    return openingAt(this.#options, known);
  }

  /** Cuts the holder's follower from the leader, or both followers. */
  async cutPeers(whose: 'all' | 'holder', way?: 'out'): Promise<void> {
    const { follower, other } = this.#roles;
    const cut = whose === 'holder' ? [follower] : [follower, other];
    const links = cut.flatMap((from) => this.#link(from) ?? []);
    await Promise.all(links.map((link) => link.cut(way === undefined ? 'both' : 'up')));
  }

  async healPeers(): Promise<void> {
    await Promise.all([...this.#linked.links.values()].map((link) => link.heal({ drop: true })));
  }

  /** Heals the links; resolves once all servers serve again. */
  async close(): Promise<void> {
    await this.links.close();
    await this.healPeers();
    await serving(this.#linked.servers);
  }

  #link(from: number): ProxyPort | undefined {
    return this.#linked.links.get(`${from + 1}>${this.#roles.leader + 1}`);
  }
}

/** Resolves to the leader once all servers serve. */
async function serving({ servers }: ZooKeeperEnsemble): Promise<ZooKeeperServer> {
  const untilMs = performance.now() + SERVES_MS;
  while (performance.now() < untilMs) {
    const modes = await Promise.all(servers.map((server) => server.mode()));
    const leader = servers[modes.indexOf('leader')];
    if (leader !== undefined && modes.every((mode) => mode !== undefined)) return leader;
    await sleep(POLL_MS);
  }
  throw new Error(`the ensemble did not serve again within ${SERVES_MS} ms`);
}
