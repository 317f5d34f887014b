import { setTimeout as sleep } from 'node:timers/promises';
import type { Opening, ProxyTarget } from '../../real/index.ts';
import { ClientLinks } from './client-links.ts';
import type { ClusterOptions, RealCluster } from './real-cluster.ts';

/** Servers that the user runs. The laboratory uses its own namespace on them, and injects no fault into them. */
export interface OwnServers {
  readonly backend: string;
  /** A description for people, without credentials. */
  readonly description: string;
  readonly targets: readonly ProxyTarget[];
  /** The shortest ttl that they grant; 0 if they impose none. */
  readonly ttlMsMin: number;
  /** The opening for a client process that reaches the servers at these ports of loopback. */
  opening(ports: readonly number[], namespace: string, ttlMs: number): Opening;
  /** Removes everything stored in this namespace; rejects if it may not, or cannot. */
  removeNamespace(namespace: string): Promise<void>;
}

/** The user's servers, and the namespace that the laboratory uses on them. */
export interface OwnServersScope {
  readonly servers: readonly OwnServers[];
  /** Unique to this run. */
  readonly namespace: string;
}

/** A deployment on the user's servers. Faults hit only the links of our own clients. */
export class OwnServersDeployment implements RealCluster {
  readonly #options: ClusterOptions;
  readonly #servers: OwnServers;
  readonly links: ClientLinks;

  private constructor(options: ClusterOptions, servers: OwnServers, links: ClientLinks) {
    this.#options = options;
    this.#servers = servers;
    this.links = links;
  }

  static async open(options: ClusterOptions, servers: OwnServers): Promise<OwnServersDeployment> {
    const links = await ClientLinks.open(options.proxies, options.clientCount, servers.targets);
    return new OwnServersDeployment(options, servers, links);
  }

  opening(place: number): Opening {
    const { namespace, ttlMs } = this.#options;
    return this.#servers.opening(this.links.portsOf(place), namespace, ttlMs);
  }

  close(): Promise<void> {
    return this.links.close();
  }
}

/** Requests that killed clients had sent arrive within this time, in ms. */
const SETTLE_MS = 50;

/** Removes everything that the lab wrote on the user's servers. Returns a note about what it could not remove. */
export async function cleanUpNamespace(own: OwnServersScope): Promise<string | undefined> {
  await sleep(SETTLE_MS);
  try {
    await Promise.all(own.servers.map((servers) => servers.removeNamespace(own.namespace)));
    return undefined;
  } catch (error) {
    return leftoverText(own, error instanceof Error ? error.message : String(error));
  }
}

export function leftoverText({ namespace }: OwnServersScope, why: string): string {
  return `keys named ${namespace} were left on your servers (${why}): on Redis they expire within a day, on ZooKeeper delete them by hand`;
}
