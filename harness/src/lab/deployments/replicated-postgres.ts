import { type Opening, PostgresReplication, type PostgresServer } from '../../real/index.ts';
import { LabPostgres } from '../servers/lab-postgres.ts';
import { ClientLinks } from './client-links.ts';
import {
  type LockOnClusterOptions,
  openingAt,
  type RealCluster,
  type RealMember,
} from './real-cluster.ts';

export interface ReplicatedPostgresOptions {
  readonly standbys: number;
  readonly isSynchronous: boolean;
}

/** A primary and its standbys. Clients reach the current primary by an address that moves. The lab promotes at once. */
export class ReplicatedPostgres implements RealCluster {
  readonly #options: LockOnClusterOptions;
  readonly #servers: PostgresReplication;
  #old: PostgresServer | undefined;
  readonly links: ClientLinks;

  private constructor(
    options: LockOnClusterOptions,
    servers: PostgresReplication,
    links: ClientLinks,
  ) {
    this.#options = options;
    this.#servers = servers;
    this.links = links;
  }

  static async open(
    options: LockOnClusterOptions,
    replication: ReplicatedPostgresOptions,
  ): Promise<ReplicatedPostgres> {
    const { serverFactory, proxies, clientCount, schema } = options;
    const { postgres } = serverFactory;
    if (postgres === undefined) throw new Error('PostgreSQL is not installed');
    const servers = await PostgresReplication.start({
      ...replication,
      schema,
      start: (each) => postgres.start(each),
      openLink: (port) => proxies.open(port),
    });
    const links = await ClientLinks.open(proxies, clientCount, [servers.primary.port]);
    return new ReplicatedPostgres(options, servers, links);
  }

  opening(place: number): Opening {
    return openingAt(this.#options, this.links.portsOf(place));
  }

  async members(): Promise<readonly RealMember[]> {
    return [new LabPostgres(this.#servers.primary)];
  }

  stopReplication(): Promise<void> {
    return this.#servers.cut();
  }

  async failover(): Promise<void> {
    await this.#servers.primary.end();
    await this.#promote();
  }

  splitBrain(stay: readonly number[]): Promise<void> {
    const places = Array.from({ length: this.#options.clientCount }, (_, place) => place);
    return this.#promote(places.filter((place) => !stay.includes(place)));
  }

  /** Cuts the standbys from their primary. */
  cutPeers(): Promise<void> {
    return this.#servers.cut();
  }

  healPeers(): Promise<void> {
    return this.#servers.heal();
  }

  async close(): Promise<void> {
    await this.links.close();
    await this.#servers.close();
    await this.#old?.close();
  }

  /** Promotes a standby, and redirects these clients, or all, to it. */
  async #promote(places?: readonly number[]): Promise<void> {
    this.#old = await this.#servers.promote();
    await this.links.retarget(0, this.#servers.primary.port, places);
  }
}
