import { freePorts } from './free-ports.ts';
import type { ZooKeeperSettings } from './zookeeper-config.ts';
import { ZooKeeperServer } from './zookeeper-server.ts';

/** One way in which one server reaches another: followers dial their leader by `quorum`, and everybody votes by `election`. */
export interface PeerLink {
  readonly from: number;
  readonly to: number;
  readonly use: 'quorum' | 'election';
  /** Where `to` listens. */
  readonly port: number;
}

export interface ZooKeeperEnsembleOptions extends ZooKeeperSettings {
  /** Default 3. */
  readonly size?: number | undefined;
  /** After how many ticks without a word leader and follower give each other up. Default 5. */
  readonly syncLimit?: number | undefined;
  /**
   * The port at which `from` is told to reach `to`, for example of a proxy. Cutting `quorum` cuts a follower from its
   * leader. A vote may still pass: a server that was dialled by one with a smaller number dials back on its own.
   */
  readonly peersThrough?: ((link: PeerLink) => number | Promise<number>) | undefined;
}

interface PeerPorts {
  readonly quorum: number;
  readonly election: number;
}

/** Servers of our own on loopback that elect one leader; their numbers are 1 to size, in the order of `servers`. */
export class ZooKeeperEnsemble {
  readonly servers: readonly ZooKeeperServer[];

  private constructor(servers: readonly ZooKeeperServer[]) {
    this.servers = servers;
  }

  /** Resolves once all serve. */
  static async start(options: ZooKeeperEnsembleOptions = {}): Promise<ZooKeeperEnsemble> {
    const { size = 3 } = options;
    const ports = await freePorts(3 * size);
    const clients = ports.slice(0, size);
    const peers = clients.map((_, index) => ({
      quorum: ports[size + 2 * index] ?? 0,
      election: ports[size + 2 * index + 1] ?? 0,
    }));
    const starting = clients.map(async (port, index) => {
      const config = await memberConfig(index + 1, peers, options);
      return ZooKeeperServer.start({ ...options, port, id: index + 1, config });
    });
    return new ZooKeeperEnsemble(await allOrNone(starting));
  }

  /** `host:port` of each. */
  get addresses(): readonly string[] {
    return this.servers.map(({ address }) => address);
  }

  get url(): string {
    return `zk://${this.addresses.join(',')}`;
  }

  /** The server that leads now; undefined while none does. One that was stopped is asked in vain. */
  async leader(): Promise<ZooKeeperServer | undefined> {
    const modes = await Promise.all(this.servers.map((server) => server.mode()));
    return this.servers[modes.indexOf('leader')];
  }

  async close(): Promise<void> {
    await Promise.all(this.servers.map((server) => server.close()));
  }
}

/** What stands in the zoo.cfg of one member: where it listens itself, and where it reaches the others. */
async function memberConfig(
  id: number,
  peers: readonly PeerPorts[],
  { syncLimit = 5, peersThrough = ({ port }) => port, config }: ZooKeeperEnsembleOptions,
): Promise<Readonly<Record<string, string | number>>> {
  const members = peers.map(async ({ quorum, election }, index) => {
    const to = index + 1;
    const reach = (use: PeerLink['use'], port: number): number | Promise<number> =>
      to === id ? port : peersThrough({ from: id, to, use, port });
    const ports = [await reach('quorum', quorum), await reach('election', election)];
    return [`server.${to}`, `127.0.0.1:${ports.join(':')}`];
  });
  const lines: Record<string, string> = Object.fromEntries(await Promise.all(members));
  return { initLimit: 50, syncLimit, ...lines, ...config };
}

async function allOrNone(
  starting: readonly Promise<ZooKeeperServer>[],
): Promise<readonly ZooKeeperServer[]> {
  const settled = await Promise.allSettled(starting);
  const servers = settled.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
  const failed = settled.find((each) => each.status === 'rejected');
  if (failed === undefined) return servers;
  await Promise.all(servers.map((server) => server.close()));
  throw failed.reason;
}
