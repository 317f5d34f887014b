import { type FindPorts, freePorts, onFreePorts } from '../../../processes/free-ports.ts';
import type { EtcdSettings } from './etcd-config.ts';
import { EtcdServer } from './etcd-server.ts';
import { etcdctl } from './etcdctl.ts';

export interface EtcdEnsembleOptions extends EtcdSettings {
  /** Default 3. */
  readonly size?: number | undefined;
}

/** etcd servers started on loopback that elect one leader. */
export class EtcdEnsemble {
  readonly servers: readonly EtcdServer[];

  private constructor(servers: readonly EtcdServer[]) {
    this.servers = servers;
  }

  /** Resolves once all serve. */
  static start(
    { size = 3, ...settings }: EtcdEnsembleOptions = {},
    findPorts: FindPorts = freePorts,
  ): Promise<EtcdEnsemble> {
    return onFreePorts(3 * size, findPorts, async (ports) => {
      const members = Array.from({ length: size }, (_, index) => ({
        name: `e${index + 1}`,
        port: ports[3 * index] ?? 0,
        peerPort: ports[3 * index + 1] ?? 0,
        healthPort: ports[3 * index + 2] ?? 0,
      }));
      const cluster = members
        .map(({ name, peerPort }) => `${name}=http://127.0.0.1:${peerPort}`)
        .join(',');
      const servers = members.map((member) => new EtcdServer({ ...settings, ...member, cluster }));
      try {
        await Promise.all(servers.map((server) => server.restart()));
        return new EtcdEnsemble(servers);
      } catch (error) {
        await Promise.all(servers.map((server) => server.close()));
        throw error;
      }
    });
  }

  /** `host:port` of each server. */
  get addresses(): readonly string[] {
    return this.servers.map(({ address }) => address);
  }

  get url(): string {
    return `etcd://${this.addresses.join(',')}`;
  }

  /** Returns the server that says of itself that it leads; undefined if none does. */
  async leader(): Promise<EtcdServer | undefined> {
    const leads = await Promise.all(this.servers.map(isLeader));
    return this.servers[leads.indexOf(true)];
  }

  async close(): Promise<void> {
    await Promise.all(this.servers.map((server) => server.close()));
  }
}

async function isLeader(server: EtcdServer): Promise<boolean> {
  try {
    const fields = await etcdctl(server.address, ['endpoint', 'status', '-w', 'fields']);
    const idIn = (name: string): string | undefined =>
      new RegExp(`^"${name}" : (\\d+)$`, 'm').exec(fields)?.[1];
    return idIn('Leader') !== undefined && idIn('Leader') === idIn('MemberID');
  } catch {
    return false;
  }
}
