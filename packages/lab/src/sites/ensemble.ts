import { setTimeout as sleep } from 'node:timers/promises';
import type { Opening } from '../clients/messages.ts';
import type { ZooKeeperMember, ZooKeeperServers } from '../plant.ts';
import type { Direction } from '../proxy/proxy.ts';
import type { ShiftedClock } from '../servers/clock-shim.ts';
import { delayMs, jumpMs, type Site, type SiteParts, type Strike } from './site.ts';
import { lostReplies, lostWakeUp, swizzle } from './way-strikes.ts';
import { Ways } from './ways.ts';

const ALL = [0, 1, 2];
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
  readonly #struck = new Set<ZooKeeperMember>();

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
    return { backend: 'zk', url: `zk://${servers.join(',')}`, namespace, ttlMs };
  }

  get strikes(): Site['strikes'] {
    const ms = delayMs(this.#parts);
    return {
      delay: {
        told: `every message of a client takes ${ms} ms`,
        strike: () => this.#ways.delay(ms),
        heal: () => this.#ways.heal(),
      },
      'lost-reply': lostReplies(this.#ways, this.#parts),
      'lost-wakeup': lostWakeUp(this.#ways, 'standing'),
      swizzle: swizzle(this.#ways, this.#servers.length, this.#parts),
      'client-cut': [
        this.#cut('nothing passes between the holder and the servers any more'),
        this.#cut('nothing passes from the servers to the holder any more', ALL, 'down'),
        {
          ...this.#cut('nothing passes between the holder and two of the three any more', [0, 1]),
          holderKeeps: true,
        },
      ],
      'majority-down': {
        told: 'two of the three are killed, the leader among them, and come back when the ttl is over',
        strike: async () => this.#killed([await this.#leader(), this.#follower()]),
        heal: () => this.#restart([...this.#struck]),
      },
      'restart-durable': {
        told: 'all three are killed and come back with their logs',
        afterRenewal: true,
        strike: async () => {
          this.#killed(this.#servers);
          await this.#restart(this.#servers);
        },
      },
      'restart-empty': {
        told: 'one of the three comes back without its data',
        afterRenewal: true,
        strike: async () => {
          await this.#leader();
          await this.#follower().restartEmpty();
        },
      },
      'server-stop': {
        told: 'the leader stands still (SIGSTOP)',
        strike: async () => (await this.#leader()).stop(),
        heal: async () => this.#resume(),
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

  deliver(): Promise<void> {
    return this.#ways.healPlace(0, { drop: false });
  }

  /** Resolves once all serve again. */
  async close(): Promise<void> {
    await this.#ways.close();
    this.#resume();
    const modes = await Promise.all(this.#servers.map((server) => server.mode()));
    const dead = this.#servers.filter(
      (server, index) => this.#struck.has(server) && modes[index] === undefined,
    );
    await this.#restart(dead);
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
    this.#struck.add(leader);
    return leader;
  }

  get #servers(): readonly ZooKeeperMember[] {
    return this.#ensemble.servers;
  }

  /** One that has not been struck yet. */
  #follower(): ZooKeeperMember {
    const follower = this.#servers.find((server) => !this.#struck.has(server));
    if (follower === undefined) throw new Error('the ensemble has no follower to strike');
    this.#struck.add(follower);
    return follower;
  }

  #resume(): void {
    for (const server of this.#struck) server.resume();
  }

  #killed(servers: readonly ZooKeeperMember[]): void {
    for (const server of servers) {
      this.#struck.add(server);
      server.kill();
    }
  }

  async #restart(servers: readonly ZooKeeperMember[]): Promise<void> {
    await Promise.all(servers.map((server) => server.restart()));
  }

  #cut(told: string, servers: readonly number[] = ALL, direction: Direction = 'both'): Strike {
    return {
      told,
      strike: () => this.#ways.cut(0, servers, direction),
      heal: () => this.#ways.healPlace(0),
    };
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
