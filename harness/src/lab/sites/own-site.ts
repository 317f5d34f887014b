import type { Opening } from '../../plant/index.ts';
import type { OwnServers } from '../servers/own.ts';
import type { ClusterParts, RealCluster } from './real-cluster.ts';
import { Ways } from './ways.ts';

/** Servers of the user's: nothing is done to them, only to the ways on which our clients reach them. */
export class OwnSite implements RealCluster {
  readonly #parts: ClusterParts;
  readonly #servers: OwnServers;
  readonly ways: Ways;

  private constructor(parts: ClusterParts, servers: OwnServers, ways: Ways) {
    this.#parts = parts;
    this.#servers = servers;
    this.ways = ways;
  }

  static async open(parts: ClusterParts, servers: OwnServers): Promise<OwnSite> {
    const ways = await Ways.open(parts.proxies, parts.places, servers.targets);
    return new OwnSite(parts, servers, ways);
  }

  opening(place: number): Opening {
    const { namespace, ttlMs } = this.#parts;
    return this.#servers.opening(this.ways.portsOf(place), namespace, ttlMs);
  }

  close(): Promise<void> {
    return this.ways.close();
  }
}
