import { setTimeout as sleep } from 'node:timers/promises';
import type { Opening, Target } from '../../plant/index.ts';
import { ClientLinks } from './client-links.ts';
import type { ClusterOptions, RealCluster } from './real-cluster.ts';

/** Servers that the user runs. The laboratory works on them under a name of its own, and never strikes them. */
export interface OwnServers {
  readonly backend: string;
  /** For people, without credentials. */
  readonly description: string;
  readonly targets: readonly Target[];
  /** The shortest ttl that they grant, where they have a say in it. */
  readonly ttlMsMin: number;
  /** How a client process opens its locks, where it reaches them at these ports of loopback. */
  opening(ports: readonly number[], namespace: string, ttlMs: number): Opening;
  /** Removes all that stands under this name; rejects where it may not, or cannot. */
  removeNamespace(namespace: string): Promise<void>;
}

/** What of the user's is to be worked on. */
export interface OwnServersScope {
  readonly servers: readonly OwnServers[];
  /** Nobody else's, and no other run's. */
  readonly namespace: string;
}

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

/** What clients have sent before they were ended arrives first. */
const SETTLE_MS = 50;

/** Takes away all that was written under our name on servers of the user's; says what it had to leave. */
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
  return `what is named ${namespace} was left on your servers (${why}): on Redis it expires within a day, on ZooKeeper it is to be deleted by hand`;
}
