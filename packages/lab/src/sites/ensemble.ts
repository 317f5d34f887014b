import { setTimeout as sleep } from 'node:timers/promises';
import type { Opening } from '../clients/messages.ts';
import type { ZooKeeperMember, ZooKeeperServers } from '../plant.ts';
import type { ShiftedClock } from '../servers/clock-shim.ts';
import { delayMs, jumpMs, type Site, type SiteParts, type Strike } from './site.ts';
import { Ways } from './ways.ts';

const LOOK_MS = 20;
const SERVES_MS = 30_000;

/** Servers, and the clock that they share where clocks can be shifted. */
export interface ClockedEnsemble {
  readonly servers: ZooKeeperServers;
  readonly clock: ShiftedClock | undefined;
}

/** One trial on a ZooKeeper ensemble, which outlives it: it takes seconds to start. */
export class Ensemble implements Site {
  readonly #parts: SiteParts;
  readonly #ensemble: ZooKeeperServers;
  readonly #clock: ShiftedClock | undefined;
  readonly #ways: Ways;
  #struck: ZooKeeperMember | undefined;

  private constructor(parts: SiteParts, { servers, clock }: ClockedEnsemble, ways: Ways) {
    this.#parts = parts;
    this.#ensemble = servers;
    this.#clock = clock;
    this.#ways = ways;
  }

  static async open(parts: SiteParts, ensemble: ClockedEnsemble): Promise<Ensemble> {
    const targets = ensemble.servers.servers.map(({ port }) => port);
    return new Ensemble(parts, ensemble, await Ways.open(parts.proxies, parts.places, targets));
  }

  opening(place: number): Opening {
    const servers = this.#ways.portsOf(place).map((port) => `127.0.0.1:${port}`);
    const { namespace, ttlMs } = this.#parts;
    return { backend: 'zk', servers, namespace, ttlMs };
  }

  get strikes(): Site['strikes'] {
    const ms = delayMs(this.#parts);
    return {
      delay: {
        told: `every message of a client takes ${ms} ms`,
        strike: () => this.#ways.delay(ms),
        heal: () => this.#ways.heal(),
      },
      'client-cut': {
        told: 'nothing passes between the holder and the servers any more',
        strike: () => this.#ways.cut(0),
        heal: () => this.#ways.healPlace(0),
      },
      'server-stop': {
        told: 'the leader stands still (SIGSTOP)',
        strike: async () => (await this.#leader()).stop(),
        heal: async () => this.#struck?.resume(),
      },
      ...(this.#clock !== undefined && {
        'server-clock-forward': this.#jump(jumpMs(this.#parts), 'ahead'),
        'server-clock-back': this.#jump(-jumpMs(this.#parts), 'back'),
      }),
      failover: {
        told: 'the leader is killed, and the others elect another',
        strike: async () => (await this.#leader()).kill(),
      },
    };
  }

  /** Resolves once all serve again. */
  async close(): Promise<void> {
    await this.#ways.close();
    this.#struck?.resume();
    const modes = await Promise.all(this.#ensemble.servers.map((server) => server.mode()));
    const dead = this.#ensemble.servers.filter(
      (server, index) => server === this.#struck && modes[index] === undefined,
    );
    await Promise.all(dead.map((server) => server.restart()));
    await this.#serves();
  }

  /** The control: nothing in ZooKeeper looks at a wall clock. */
  #jump(byMs: number, where: string): Strike {
    return {
      told: `the wall clocks of all servers jump ${where}`,
      strike: async () => this.#clock?.set(byMs),
      heal: async () => this.#clock?.set(0),
    };
  }

  async #leader(): Promise<ZooKeeperMember> {
    const leader = await this.#ensemble.leader();
    if (leader === undefined) throw new Error('the ensemble has no leader to strike');
    this.#struck = leader;
    return leader;
  }

  async #serves(): Promise<void> {
    const untilMs = performance.now() + SERVES_MS;
    while (performance.now() < untilMs) {
      const modes = await Promise.all(this.#ensemble.servers.map((server) => server.mode()));
      if (modes.every((mode) => mode !== undefined) && modes.includes('leader')) return;
      await sleep(LOOK_MS);
    }
    throw new Error('the ensemble did not come to serve again');
  }
}
