import { setTimeout as sleep } from 'node:timers/promises';
import type {
  Opening,
  ShiftedClock,
  ZooKeeperEnsemble,
  ZooKeeperServer,
} from '../../plant/index.ts';
import type { RestartData, ServerTarget } from '../../simulator/index.ts';
import { ClientLinks } from './client-links.ts';
import {
  type LockOnClusterOptions,
  openingAt,
  type RealCluster,
  type RealMember,
} from './real-cluster.ts';

const POLL_MS = 20;
const SERVES_MS = 30_000;
/** Several writes each, where whoever comes after a restart makes some dozens before it is let in. */
const AGE_ROUNDS = 100;

/** Servers, and the clock that they share where clocks can be shifted. */
export interface ClockedEnsemble {
  readonly servers: ZooKeeperEnsemble;
  readonly clock: ShiftedClock | undefined;
}

/** One trial on ZooKeeper servers: on an ensemble that outlives it, for it takes seconds to start, or on one of its own. */
export class ZooKeeperDeployment implements RealCluster {
  readonly #parts: LockOnClusterOptions;
  readonly #ensemble: ZooKeeperEnsemble;
  readonly #clock: ShiftedClock | undefined;
  readonly #affected = new Set<ZooKeeperServer>();
  readonly #release: () => Promise<void>;
  readonly links: ClientLinks;

  private constructor(
    parts: LockOnClusterOptions,
    { servers, clock }: ClockedEnsemble,
    own: { readonly ways: ClientLinks; readonly isShared: boolean },
  ) {
    this.#parts = parts;
    this.#ensemble = servers;
    this.#clock = clock;
    this.links = own.ways;
    this.#release = own.isShared ? () => this.#repair() : () => servers.close();
  }

  static async open(
    parts: LockOnClusterOptions,
    shared: ClockedEnsemble,
  ): Promise<ZooKeeperDeployment> {
    return new ZooKeeperDeployment(parts, shared, {
      ways: await linksTo(parts, shared.servers),
      isShared: true,
    });
  }

  /** One server alone, which forgets what no other one knows. */
  static async single(parts: LockOnClusterOptions): Promise<ZooKeeperDeployment> {
    const servers = await parts.serverFactory.zookeeper?.start({ size: 1 });
    if (servers === undefined) throw new Error('ZooKeeper is not installed');
    const ways = await linksTo(parts, servers);
    return new ZooKeeperDeployment(parts, { servers, clock: undefined }, { ways, isShared: false });
  }

  opening(place: number): Opening {
    return openingAt(this.#parts, this.links.portsOf(place));
  }

  async members(which: ServerTarget): Promise<readonly RealMember[]> {
    const chosen = await this.#chosen(which);
    for (const server of chosen) this.#affected.add(server);
    return chosen.map((server) => this.#member(server));
  }

  async advanceSequence(): Promise<void> {
    const locks = await this.#parts.serverFactory.open(this.opening(0), 'age');
    for (let round = 0; round < AGE_ROUNDS; round++)
      await (await locks?.tryAcquire('holdfast-lab-age'))?.release();
    await locks?.close();
  }

  /** The leader is killed; the others elect another. */
  async failover(): Promise<void> {
    for (const leader of await this.members('leader')) await leader.crash();
  }

  /** Of those that outlive it: resolves once all serve again. */
  async close(): Promise<void> {
    await this.links.close();
    await this.#release();
  }

  async #chosen(which: ServerTarget): Promise<readonly ZooKeeperServer[]> {
    const all = this.#ensemble.servers;
    if (which === 'all') return all;
    if (which === 'affected') return [...this.#affected];
    if (typeof which !== 'string') return which.flatMap((place) => all[place] ?? []);
    const leader = await this.#ensemble.leader();
    if (leader === undefined) throw new Error('the ensemble has no leader to strike');
    const followers = all.filter((server) => server !== leader);
    if (which === 'leader') return [leader];
    const others = Math.floor(all.length / 2);
    return which === 'follower' ? followers.slice(0, 1) : [leader, ...followers.slice(0, others)];
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
    throw new Error('the ensemble did not come to serve again');
  }
}

function linksTo(
  parts: LockOnClusterOptions,
  { servers }: ZooKeeperEnsemble,
): Promise<ClientLinks> {
  const targets = servers.map(({ port }) => port);
  return ClientLinks.open(parts.proxies, parts.clientCount, targets);
}
