import type { Opening } from '../../real/index.ts';
import { LabPostgres } from '../servers/lab-postgres.ts';
import { ClientLinks } from './client-links.ts';
import {
  type LockOnClusterOptions,
  openingAt,
  type RealCluster,
  type RealMember,
} from './real-cluster.ts';

/** One PostgreSQL server. */
export class OnePostgres implements RealCluster {
  readonly #options: LockOnClusterOptions;
  readonly #server: LabPostgres;
  readonly links: ClientLinks;

  private constructor(options: LockOnClusterOptions, server: LabPostgres, links: ClientLinks) {
    this.#options = options;
    this.#server = server;
    this.links = links;
  }

  static async open(options: LockOnClusterOptions): Promise<OnePostgres> {
    const { serverFactory, proxies, clientCount, shim, schema } = options;
    const server = await LabPostgres.start(serverFactory, { shim, schema });
    const links = await ClientLinks.open(proxies, clientCount, [server.port]);
    return new OnePostgres(options, server, links);
  }

  opening(place: number): Opening {
    return openingAt(this.#options, this.links.portsOf(place));
  }

  async members(): Promise<readonly RealMember[]> {
    return [this.#server];
  }

  async close(): Promise<void> {
    await this.links.close();
    await this.#server.close();
  }
}
