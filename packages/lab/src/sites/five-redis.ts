import type { Opening } from '../clients/messages.ts';
import { LabRedis } from '../servers/redis.ts';
import { delayMs, jumpMs, type Site, type SiteParts, type Strike } from './site.ts';
import { Ways } from './ways.ts';

const SIZE = 5;
/** Whom the holder does not reach in the scenes that need a holder of a bare majority. */
const UNREACHED = [3, 4];
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

  static async open(parts: SiteParts): Promise<FiveRedis> {
    const { plant, proxies, places, shim } = parts;
    const starts = Array.from({ length: SIZE }, () => LabRedis.start(plant, { shim }));
    const servers = await Promise.all(starts);
    const targets = servers.map(({ port }) => port);
    return new FiveRedis(parts, servers, await Ways.open(proxies, places, targets));
  }

  opening(place: number): Opening {
    const urls = this.#ways.portsOf(place).map((port) => `redis://127.0.0.1:${port}`);
    const { namespace, ttlMs } = this.#parts;
    return { backend: 'redlock', urls, namespace, ttlMs };
  }

  get strikes(): Site['strikes'] {
    return {
      delay: this.#delay(),
      'client-cut': {
        told: 'nothing passes between the holder and the servers any more',
        strike: () => this.#ways.cut(0),
        heal: () => this.#ways.healPlace(0),
      },
      'server-stop': this.#stop([0, 1], 'two of the five stand still (SIGSTOP)'),
      'majority-down': this.#stop([0, 1, 2], 'three of the five stand still (SIGSTOP)'),
      'restart-empty': this.#bareMajority('comes back without its data', async (server) => {
        await server.kill();
        await server.restart();
      }),
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
