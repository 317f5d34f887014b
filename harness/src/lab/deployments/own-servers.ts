import type { Opening } from '../../plant/index.ts';
import type { OwnServers } from '../servers/own-servers.ts';
import { ClientLinks } from './client-links.ts';
import type { ClusterOptions, RealCluster } from './real-cluster.ts';

/** Servers of the user's: nothing is done to them, only to the ways on which our clients reach them. */
export class OwnServersDeployment implements RealCluster {
  readonly #parts: ClusterOptions;
  readonly #servers: OwnServers;
  readonly links: ClientLinks;

  private constructor(parts: ClusterOptions, servers: OwnServers, links: ClientLinks) {
    this.#parts = parts;
    this.#servers = servers;
    this.links = links;
  }

  static async open(parts: ClusterOptions, servers: OwnServers): Promise<OwnServersDeployment> {
    const ways = await ClientLinks.open(parts.proxies, parts.clientCount, servers.targets);
    return new OwnServersDeployment(parts, servers, ways);
  }

  opening(place: number): Opening {
    const { namespace, ttlMs } = this.#parts;
    return this.#servers.opening(this.links.portsOf(place), namespace, ttlMs);
  }

  close(): Promise<void> {
    return this.links.close();
  }
}
