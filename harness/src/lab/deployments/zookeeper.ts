import { setTimeout as sleep } from 'node:timers/promises';
import type {
  Opening,
  ShiftedClock,
  ZooKeeperEnsemble,
  ZooKeeperServer,
} from '../../real/index.ts';
import type { RestartData, ServerTarget } from '../../simulator/index.ts';
import { ClientLinks } from './client-links.ts';
import {
  type LockOnClusterOptions,
  openingAt,
  type RealCluster,
  type RealMember,
} from './real-cluster.ts';
import { targetsIn } from './server-target.ts';

const POLL_MS = 20;
const SERVES_MS = 30_000;
/** Several writes each. A client that connects after a restart makes some dozens of writes before it is admitted. */
const AGE_ROUNDS = 100;

/** An ensemble, and the clock that its servers share if clocks can be shifted. */
export interface ClockedEnsemble {
  readonly servers: ZooKeeperEnsemble;
  readonly clock: ShiftedClock | undefined;
}

/** One trial on ZooKeeper servers: on a shared ensemble, because one takes seconds to start, or on its own. */
export class ZooKeeperDeployment implements RealCluster {
  readonly #options: LockOnClusterOptions;
  readonly #ensemble: ZooKeeperEnsemble;
  readonly #clock: ShiftedClock | undefined;
  readonly #affected = new Set<ZooKeeperServer>();
  readonly #release: () => Promise<void>;
  readonly links: ClientLinks;

  private constructor(
    options: LockOnClusterOptions,
    { servers, clock }: ClockedEnsemble,
    own: { readonly links: ClientLinks; readonly isShared: boolean },
  ) {
    this.#options = options;
    this.#ensemble = servers;
    this.#clock = clock;
    this.links = own.links;
    this.#release = own.isShared ? () => this.#repair() : () => servers.close();
  }

  static async open(
    options: LockOnClusterOptions,
    shared: ClockedEnsemble,
  ): Promise<ZooKeeperDeployment> {
    return new ZooKeeperDeployment(options, shared, {
      links: await linksTo(options, shared.servers),
      isShared: true,
    });
  }

  /** Opens a single server, whose data no other server has. */
  static async single(options: LockOnClusterOptions): Promise<ZooKeeperDeployment> {
    const servers = await options.serverFactory.zookeeper?.start({ size: 1 });
    if (servers === undefined) throw new Error('ZooKeeper is not installed');
    const links = await linksTo(options, servers);
    return new ZooKeeperDeployment(
      options,
      { servers, clock: undefined },
      { links, isShared: false },
    );
  }

  opening(place: number): Opening {
    return openingAt(this.#options, this.links.portsOf(place));
  }

  async members(which: ServerTarget): Promise<readonly RealMember[]> {
    const chosen = await this.#chosen(which);
    for (const server of chosen) this.#affected.add(server);
    return chosen.map((server) => this.#member(server));
  }

  async advanceSequence(): Promise<void> {
    const locks = await this.#options.serverFactory.open(this.opening(0), 'age');
    for (let round = 0; round < AGE_ROUNDS; round++)
      await (await locks?.tryAcquire('holdfast-lab-age'))?.release();
    await locks?.close();
  }

  /** Kills the leader; the others elect another. */
  async failover(): Promise<void> {
    for (const leader of await this.members('leader')) await leader.crash();
  }

  /** Closes the deployment. With a shared ensemble it resolves once all servers serve again. */
  async close(): Promise<void> {
    await this.links.close();
    await this.#release();
  }

  async #chosen(which: ServerTarget): Promise<readonly ZooKeeperServer[]> {
    const { servers: all } = this.#ensemble;
    const leader = (): Promise<ZooKeeperServer | undefined> => this.#ensemble.leader();
    return await targetsIn({ all, affected: this.#affected, leader }, which);
  }

  #member(server: ZooKeeperServer): RealMember {
    const restarts: Readonly<Record<RestartData, () => Promise<void>>> = {
      empty: () => server.restartEmpty(),
      durable: () => server.restart(),
      torn: () => server.restartTorn(),
    };
    return {
      stop: () => server.stop(),
      resume: () => server.resume(),
      crash: async () => server.kill(),
      restart: (data) => restarts[data](),
      keepLog: async () => server.keep(),
      jumpWall: async (ms) => this.#clock?.set(ms),
    };
  }

  async #repair(): Promise<void> {
    for (const server of this.#affected) server.resume();
    const modes = await Promise.all(this.#ensemble.servers.map((server) => server.mode()));
    const dead = this.#ensemble.servers.filter(
      (server, index) => this.#affected.has(server) && modes[index] === undefined,
    );
    await Promise.all(dead.map((server) => server.restart()));
    await this.#untilServing();
  }

  async #untilServing(): Promise<void> {
    const untilMs = performance.now() + SERVES_MS;
    while (performance.now() < untilMs) {
      const modes = await Promise.all(this.#ensemble.servers.map((server) => server.mode()));
      if (modes.every((mode) => mode !== undefined) && modes.includes('leader')) return;
      await sleep(POLL_MS);
    }
    throw new Error(`the ensemble did not serve again within ${SERVES_MS} ms`);
  }
}

function linksTo(
  options: LockOnClusterOptions,
  { servers }: ZooKeeperEnsemble,
): Promise<ClientLinks> {
  const targets = servers.map(({ port }) => port);
  return ClientLinks.open(options.proxies, options.clientCount, targets);
}
