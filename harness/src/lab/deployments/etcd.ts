import type { EtcdEnsemble, EtcdServer, Opening } from '../../real/index.ts';
import type { RestartData, ServerTarget } from '../../simulator/index.ts';
import { ClientLinks } from './client-links.ts';
import {
  type LockOnClusterOptions,
  openingAt,
  type RealCluster,
  type RealMember,
} from './real-cluster.ts';
import { targetsIn } from './server-target.ts';

/** One trial on an etcd cluster of its own, which starts within a second. */
export class EtcdDeployment implements RealCluster {
  readonly #options: LockOnClusterOptions;
  readonly #ensemble: EtcdEnsemble;
  readonly #affected = new Set<EtcdServer>();
  readonly links: ClientLinks;

  private constructor(options: LockOnClusterOptions, ensemble: EtcdEnsemble, links: ClientLinks) {
    this.#options = options;
    this.#ensemble = ensemble;
    this.links = links;
  }

  static async open(options: LockOnClusterOptions, size: number): Promise<EtcdDeployment> {
    const ensemble = await options.serverFactory.etcd?.start({ size });
    if (ensemble === undefined) throw new Error('etcd is not installed');
    const targets = ensemble.servers.map(({ port }) => port);
    const links = await ClientLinks.open(options.proxies, options.clientCount, targets);
    return new EtcdDeployment(options, ensemble, links);
  }

  opening(place: number): Opening {
    return openingAt(this.#options, this.links.portsOf(place));
  }

  async members(which: ServerTarget): Promise<readonly RealMember[]> {
    const leader = (): Promise<EtcdServer | undefined> => this.#ensemble.leader();
    const of = { all: this.#ensemble.servers, affected: this.#affected, leader };
    const chosen = await targetsIn(of, which);
    for (const server of chosen) this.#affected.add(server);
    return chosen.map(memberOf);
  }

  /** Kills the leader; the others elect another. */
  async failover(): Promise<void> {
    for (const leader of await this.members('leader')) await leader.crash();
  }

  async close(): Promise<void> {
    await this.links.close();
    for (const server of this.#affected) server.resume();
    await this.#ensemble.close();
  }
}

function cannot(what: string): never {
  throw new Error(`the lab cannot ${what} of an etcd server`);
}

function memberOf(server: EtcdServer): RealMember {
  const restarts: Readonly<Record<RestartData, () => Promise<void>>> = {
    empty: () => server.restartEmpty(),
    durable: () => server.restart(),
    torn: () => cannot('cut the log'),
  };
  return {
    stop: () => server.stop(),
    resume: () => server.resume(),
    crash: async () => server.kill(),
    restart: (data) => restarts[data](),
    keepLog: async () => cannot('cut the log'),
    jumpWall: async () => cannot('shift the clock'),
  };
}
