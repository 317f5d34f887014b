import { setTimeout as sleep } from 'node:timers/promises';
import type {
  Opening,
  Proxies,
  ProxyPort,
  ServerFactory,
  ZooKeeperEnsemble,
  ZooKeeperServer,
} from '../../plant/index.ts';
import { ClientLinks } from './client-links.ts';
import { type LockOnClusterOptions, openingAt, type RealCluster } from './real-cluster.ts';

/** Longer than a ttl, in ticks of 100 ms: the leader ends the sessions of a follower that it has lost before that gives up. */
const SYNC_LIMIT = 20;
/** A proxy accepts before the leader listens: who came so early has to look for a leader again. */
const INIT_LIMIT = 15;
const POLL_MS = 20;
const SERVES_MS = 30_000;

/** Servers whose followers reach their leader through proxies. */
export interface LinkedServers {
  readonly servers: ZooKeeperEnsemble;
  /** By `from>to`, counted from 1. */
  readonly links: ReadonlyMap<string, ProxyPort>;
}

export async function startLinked(plant: ServerFactory, proxies: Proxies): Promise<LinkedServers> {
  if (plant.zookeeper === undefined) throw new Error('ZooKeeper is not installed');
  const links = new Map<string, ProxyPort>();
  const servers = await plant.zookeeper.start({
    syncLimit: SYNC_LIMIT,
    config: { initLimit: INIT_LIMIT },
    async peersThrough({ from, to, use, port }) {
      if (use === 'election') return port;
      const door = await proxies.open(port);
      links.set(`${from}>${to}`, door);
      return door.port;
    },
  });
  return { servers, links };
}

interface Roles {
  /** Whose client holds. */
  readonly follower: number;
  readonly other: number;
  readonly leader: number;
}

/** One trial on an ensemble whose members are cut from each other; the holder knows but one follower, the others the rest. */
export class LinkedEnsemble implements RealCluster {
  readonly #parts: LockOnClusterOptions;
  readonly #linked: LinkedServers;
  readonly #roles: Roles;
  readonly links: ClientLinks;

  private constructor(
    parts: LockOnClusterOptions,
    linked: LinkedServers,
    own: { roles: Roles; ways: ClientLinks },
  ) {
    this.#parts = parts;
    this.#linked = linked;
    this.#roles = own.roles;
    this.links = own.ways;
  }

  static async open(parts: LockOnClusterOptions, linked: LinkedServers): Promise<LinkedEnsemble> {
    const members = linked.servers.servers;
    const leader = members.indexOf(await serving(linked.servers));
    const [follower = 0, other = 0] = members.map((_, index) => index).filter((i) => i !== leader);
    const targets = members.map(({ port }) => port);
    const ways = await ClientLinks.open(parts.proxies, parts.clientCount, targets);
    return new LinkedEnsemble(parts, linked, { roles: { follower, other, leader }, ways });
  }

  opening(place: number): Opening {
    const { follower } = this.#roles;
    const ports = this.links.portsOf(place);
    const known = ports.filter((_, index) => (place === 0) === (index === follower));
    return openingAt(this.#parts, known);
  }

  /** The follower that the holder is connected to from the leader, or both followers. */
  async cutPeers(whose: 'all' | 'holder', way?: 'out'): Promise<void> {
    const { follower, other } = this.#roles;
    const cut = whose === 'holder' ? [follower] : [follower, other];
    const links = cut.flatMap((from) => this.#link(from) ?? []);
    await Promise.all(links.map((link) => link.cut(way === undefined ? 'both' : 'up')));
  }

  async healPeers(): Promise<void> {
    await Promise.all([...this.#linked.links.values()].map((link) => link.heal({ drop: true })));
  }

  /** Resolves once all serve again. */
  async close(): Promise<void> {
    await this.links.close();
    await this.healPeers();
    await serving(this.#linked.servers);
  }

  #link(from: number): ProxyPort | undefined {
    return this.#linked.links.get(`${from + 1}>${this.#roles.leader + 1}`);
  }
}

/** The leader, once all serve. */
async function serving({ servers }: ZooKeeperEnsemble): Promise<ZooKeeperServer> {
  const untilMs = performance.now() + SERVES_MS;
  while (performance.now() < untilMs) {
    const modes = await Promise.all(servers.map((server) => server.mode()));
    const leader = servers[modes.indexOf('leader')];
    if (leader !== undefined && modes.every((mode) => mode !== undefined)) return leader;
    await sleep(POLL_MS);
  }
  throw new Error('the ensemble did not come to serve again');
}
