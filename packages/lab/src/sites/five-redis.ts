import type { Opening } from '../clients/messages.ts';
import { LabRedis } from '../servers/redis.ts';
import { delayMs, jumpMs, type Site, type SiteParts, type Strike } from './site.ts';
import { lostReplies, lostWakeUp, swizzle } from './way-strikes.ts';
import { Ways } from './ways.ts';

const SIZE = 5;
/** Whom the holder does not reach in the scenes that need a holder of a bare majority. */
const UNREACHED = [3, 4];
const ALL = [0, 1, 2, 3, 4];
/** Of its majority. */
const STRUCK = 2;

/** Five independent Redis servers. */
export class FiveRedis implements Site {
  readonly #parts: SiteParts;
  readonly #servers: readonly LabRedis[];
  readonly #ways: Ways;

  private constructor(parts: SiteParts, servers: readonly LabRedis[], ways: Ways) {
    this.#parts = parts;
    this.#servers = servers;
    this.#ways = ways;
  }

  /** With `durable` they keep logs. */
  static async open(
    parts: SiteParts,
    { durable = false }: { readonly durable?: boolean } = {},
  ): Promise<FiveRedis> {
    const { plant, proxies, places, shim } = parts;
    const starts = Array.from({ length: SIZE }, () => LabRedis.start(plant, { shim, durable }));
    const servers = await Promise.all(starts);
    const targets = servers.map(({ port }) => port);
    return new FiveRedis(parts, servers, await Ways.open(proxies, places, targets));
  }

  opening(place: number): Opening {
    const nodes = this.#ways.portsOf(place).map((port) => `redis://127.0.0.1:${port}`);
    const { namespace, ttlMs } = this.#parts;
    return { backend: 'redlock', nodes, library: 'ioredis', namespace, ttlMs };
  }

  get strikes(): Site['strikes'] {
    return {
      delay: this.#delay(),
      'lost-reply': lostReplies(this.#ways, this.#parts),
      'lost-wakeup': lostWakeUp(this.#ways, 'subscribed'),
      swizzle: swizzle(this.#ways, SIZE, this.#parts),
      'client-cut': [
        this.#cut('the servers', ALL),
        this.#cut('three of the five', [0, 1, 2]),
        { ...this.#cut('two of the five', [0, 1]), holderKeeps: true },
        this.#cutOneWay(),
      ],
      'server-stop': this.#stop([0, 1], 'two of the five stand still (SIGSTOP)'),
      'majority-down': this.#stop([0, 1, 2], 'three of the five stand still (SIGSTOP)'),
      'restart-empty': this.#bareMajority('comes back without its data', again),
      'restart-durable': this.#bareMajority('is killed and comes back with its log', again),
      'torn-log': this.#tear(),
      'server-clock-forward': this.#bareMajority('has its clock jump ahead', (server) =>
        server.jump(jumpMs(this.#parts)),
      ),
      ...(this.#servers.every(({ hasClock }) => hasClock) && {
        'server-clock-back': this.#bareMajority('has its clock jump back', (server) =>
          server.jump(-jumpMs(this.#parts)),
        ),
      }),
    };
  }

  deliver(): Promise<void> {
    return this.#ways.healPlace(0, { drop: false });
  }

  async close(): Promise<void> {
    await this.#ways.close();
    await Promise.all(this.#servers.map((server) => server.close()));
  }

  #delay(): Strike {
    const ms = delayMs(this.#parts);
    return {
      told: `every message takes ${ms} ms`,
      strike: () => this.#ways.delay(ms),
      heal: () => this.#ways.heal(),
    };
  }

  #cut(whom: string, servers: readonly number[]): Strike {
    return {
      told: `nothing passes between the holder and ${whom} any more`,
      strike: () => this.#ways.cut(0, servers),
      heal: () => this.#ways.healPlace(0),
    };
  }

  #cutOneWay(): Strike {
    return {
      told: 'nothing passes from the servers to the holder any more; what the holder sends arrives',
      strike: () => this.#ways.cut(0, ALL, 'down'),
      heal: () => this.#ways.healPlace(0),
    };
  }

  /** Its log ends where it ended before the grant. */
  #tear(): Strike {
    let length = 0;
    const torn = this.#bareMajority('loses the end of its log with its power', async (server) => {
      await server.kill();
      await server.tearLog(length);
      await server.restart();
    });
    return {
      ...torn,
      prepare: async () => {
        length = (await this.#servers[STRUCK]?.logLength()) ?? 0;
        await torn.prepare?.();
      },
    };
  }

  #stop(struck: readonly number[], told: string): Strike {
    const servers = struck.flatMap((index) => this.#servers[index] ?? []);
    return {
      told,
      strike: async () => servers.forEach((server) => server.stop()),
      heal: async () => servers.forEach((server) => server.resume()),
    };
  }

  /**
   * Kleppmann's scene (https://martin.kleppmann.com/2016/02/08/how-to-do-distributed-locking.html): the holder won three
   * votes, because two servers are out of its reach; when one of the three forgets, the others and it are a majority.
   */
  #bareMajority(told: string, strike: (server: LabRedis) => Promise<void>): Strike {
    return {
      told: `the holder reaches three of the five, and one of these ${told}`,
      afterRenewal: true,
      prepare: () => this.#ways.cut(0, UNREACHED),
      strike: async () => {
        const server = this.#servers[STRUCK];
        if (server !== undefined) await strike(server);
      },
    };
  }
}

async function again(server: LabRedis): Promise<void> {
  await server.kill();
  await server.restart();
}
