import { type FindPorts, freePorts, onFreePorts } from '../../../processes/free-ports.ts';
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
  /** What runs each server, before its own command. */
  readonly through?: readonly string[] | undefined;
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
  static start(
    options: ZooKeeperEnsembleOptions = {},
    findPorts: FindPorts = freePorts,
  ): Promise<ZooKeeperEnsemble> {
    const { size = 3 } = options;
    return onFreePorts(3 * size, findPorts, async (ports) => {
      const clients = ports.slice(0, size);
      const peers = clients.map((_, index) => ({
        quorum: ports[size + 2 * index] ?? 0,
        election: ports[size + 2 * index + 1] ?? 0,
      }));
      const members = clients.map(async (port, index) => {
        const config = await memberConfig(index + 1, peers, options);
        return new ZooKeeperServer(port, { ...options, id: index + 1, config });
      });
      const servers = await Promise.all(members);
      await startAll(servers);
      return new ZooKeeperEnsemble(servers);
    });
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

/** One that cannot come up is noticed at once, and not only when the others give up waiting for it. */
async function startAll(servers: readonly ZooKeeperServer[]): Promise<void> {
  try {
    await Promise.all(servers.map((server) => server.restart()));
  } catch (error) {
    await Promise.all(servers.map((server) => server.close()));
    throw error;
  }
}
