import type { Opening } from '../clients/messages.ts';
import type { ZooKeeperMember, ZooKeeperServers } from '../plant.ts';
import type { Site, SiteParts, Strike } from './site.ts';
import { Ways } from './ways.ts';

/** Whoever has seen more than the server knows now is turned away for three ttls. */
const RECOVER_MS = 2_000;

/** Several writes each, where whoever comes after the restart makes some dozens before it is let in. */
const AGE_ROUNDS = 100;

/** One ZooKeeper server, which forgets what no other one knows. */
export class SingleZooKeeper implements Site {
  readonly #parts: SiteParts;
  readonly #servers: ZooKeeperServers;
  readonly #server: ZooKeeperMember;
  readonly #ways: Ways;

  private constructor(
    parts: SiteParts,
    own: {
      readonly servers: ZooKeeperServers;
      readonly server: ZooKeeperMember;
      readonly ways: Ways;
    },
  ) {
    this.#parts = parts;
    this.#servers = own.servers;
    this.#server = own.server;
    this.#ways = own.ways;
  }

  static async open(parts: SiteParts): Promise<SingleZooKeeper> {
    const { plant, proxies, places } = parts;
    const servers = await plant.zookeeper?.start({ size: 1 });
    const server = servers?.servers[0];
    if (servers === undefined || server === undefined)
      throw new Error('ZooKeeper is not installed');
    const ways = await Ways.open(proxies, places, [server.port]);
    return new SingleZooKeeper(parts, { servers, server, ways });
  }

  opening(place: number): Opening {
    const servers = this.#ways.portsOf(place).map((port) => `127.0.0.1:${port}`);
    const { namespace, ttlMs } = this.#parts;
    return { backend: 'zk', url: `zk://${servers.join(',')}`, namespace, ttlMs };
  }

  get strikes(): Site['strikes'] {
    const server = this.#server;
    return {
      'server-stop': {
        told: 'the one server stands still (SIGSTOP)',
        strike: async () => server.stop(),
        heal: async () => server.resume(),
      },
      'restart-durable': {
        told: 'the one server is killed and comes back with its log',
        afterRenewal: true,
        strike: async () => {
          server.kill();
          await server.restart();
        },
      },
      'restart-empty': forgotten('without its data', {
        prepare: () => this.#age(),
        strike: () => server.restartEmpty(),
      }),
      'torn-log': forgotten('without what its log took down since before the grant', {
        prepare: async () => server.keep(),
        strike: () => server.restartTorn(),
      }),
    };
  }

  /** Tokens are what the server has counted: it has to be far ahead, lest the one that begins anew catch up with it. */
  async #age(): Promise<void> {
    const locks = await this.#parts.plant.open(this.opening(0), 'age');
    for (let round = 0; round < AGE_ROUNDS; round++)
      await (await locks?.tryAcquire('holdfast-lab-age'))?.release();
    await locks?.close();
  }

  async close(): Promise<void> {
    await this.#ways.close();
    await this.#servers.close();
  }
}

function forgotten(how: string, acts: Pick<Strike, 'prepare' | 'strike'>): Strike {
  return {
    told: `the one server is killed and comes back ${how}, and somebody comes who has seen nothing`,
    afterRenewal: true,
    newcomer: true,
    recoverMs: RECOVER_MS,
    ...acts,
  };
}
