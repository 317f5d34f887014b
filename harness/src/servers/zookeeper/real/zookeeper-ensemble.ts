import { type FindPorts, freePorts, onFreePorts } from '../../../processes/free-ports.ts';
import type { ZooKeeperSettings } from './zookeeper-config.ts';
import { ZooKeeperServer } from './zookeeper-server.ts';

/** A route from one server to another: followers dial their leader by `quorum`, and all servers vote by `election`. */
export interface PeerRoute {
  readonly from: number;
  readonly to: number;
  readonly use: 'quorum' | 'election';
  /** Port at which `to` listens. */
  readonly port: number;
}

export interface ZooKeeperEnsembleOptions extends ZooKeeperSettings {
  /** Default 3. */
  readonly size?: number | undefined;
  /** A command that runs each server, put before the server's own. */
  readonly through?: readonly string[] | undefined;
  /** After this many silent ticks leader and follower disconnect. Default 5. */
  readonly syncLimit?: number | undefined;
  /**
   * Returns the port at which `from` reaches `to`, for example a proxy's. Cutting `quorum` cuts a follower from its
   * leader. A vote may still pass: a server dials back if one with a smaller number has dialled it.
   */
  readonly peersThrough?: ((link: PeerRoute) => number | Promise<number>) | undefined;
}

interface PeerPorts {
  readonly quorum: number;
  readonly election: number;
}

/**
 * ZooKeeper servers started on loopback that elect one leader; their numbers are 1 to size, in the order of `servers`.
 */
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

  /** `host:port` of each server. */
  get addresses(): readonly string[] {
    return this.servers.map(({ address }) => address);
  }

  get url(): string {
    return `zk://${this.addresses.join(',')}`;
  }

  /** Returns the server that leads now; undefined if none does. A paused server does not reply. */
  async leader(): Promise<ZooKeeperServer | undefined> {
    const modes = await Promise.all(this.servers.map((server) => server.mode()));
    return this.servers[modes.indexOf('leader')];
  }

  async close(): Promise<void> {
    await Promise.all(this.servers.map((server) => server.close()));
  }
}

/** The zoo.cfg lines of one member: its own ports, and its routes to the others. */
async function memberConfig(
  id: number,
  peers: readonly PeerPorts[],
  { syncLimit = 5, peersThrough = ({ port }) => port, config }: ZooKeeperEnsembleOptions,
): Promise<Readonly<Record<string, string | number>>> {
  const members = peers.map(async ({ quorum, election }, index) => {
    const to = index + 1;
    const reach = (use: PeerRoute['use'], port: number): number | Promise<number> =>
      to === id ? port : peersThrough({ from: id, to, use, port });
    const ports = [await reach('quorum', quorum), await reach('election', election)];
    return [`server.${to}`, `127.0.0.1:${ports.join(':')}`];
  });
  const lines: Record<string, string> = Object.fromEntries(await Promise.all(members));
  return { initLimit: 50, syncLimit, ...lines, ...config };
}

/** Rejects at once if one server cannot start, instead of when the others time out waiting for it. */
async function startAll(servers: readonly ZooKeeperServer[]): Promise<void> {
  try {
    await Promise.all(servers.map((server) => server.restart()));
  } catch (error) {
    await Promise.all(servers.map((server) => server.close()));
    throw error;
  }
}
