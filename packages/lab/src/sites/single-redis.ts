import type { Opening } from '../clients/messages.ts';
import { LabRedis } from '../servers/redis.ts';
import { delayMs, jumpMs, type Site, type SiteParts, type Strike } from './site.ts';
import { Ways } from './ways.ts';

/** One Redis; it keeps a log where the fault is about the log. */
export class SingleRedis implements Site {
  readonly #parts: SiteParts;
  readonly #server: LabRedis;
  readonly #ways: Ways;
  readonly #backend: 'redis-simple' | 'redis-getset';
  #tornAt = 0;

  private constructor(
    parts: SiteParts,
    own: { server: LabRedis; ways: Ways; backend: 'redis-simple' | 'redis-getset' },
  ) {
    this.#parts = parts;
    this.#server = own.server;
    this.#ways = own.ways;
    this.#backend = own.backend;
  }

  static async open(
    parts: SiteParts,
    {
      durable = false,
      backend = 'redis-simple',
    }: { readonly durable?: boolean; readonly backend?: 'redis-simple' | 'redis-getset' } = {},
  ): Promise<SingleRedis> {
    const { plant, proxies, places, shim } = parts;
    const server = await LabRedis.start(plant, { durable, shim });
    const ways = await Ways.open(proxies, places, [server.port]);
    return new SingleRedis(parts, { server, ways, backend });
  }

  opening(place: number): Opening {
    const [port = 0] = this.#ways.portsOf(place);
    const { namespace, ttlMs } = this.#parts;
    return { backend: this.#backend, url: `redis://127.0.0.1:${port}`, namespace, ttlMs };
  }

  get strikes(): Site['strikes'] {
    const forward = this.#server.hasClock
      ? 'the wall clock of the server jumps ahead'
      : 'all expiries come sooner, as if the clock of the server had jumped ahead';
    return {
      delay: this.#delay(),
      'client-cut': this.#cut(),
      'server-stop': this.#stop(),
      'restart-empty': this.#restart('the server is killed and comes back without its data'),
      'restart-durable': this.#restart('the server is killed and comes back with its log'),
      'torn-log': this.#tear(),
      'server-clock-forward': {
        told: forward,
        afterRenewal: true,
        strike: () => this.#server.jump(jumpMs(this.#parts)),
      },
      ...(this.#server.hasClock && {
        'server-clock-back': {
          told: 'the wall clock of the server jumps back',
          strike: () => this.#server.jump(-jumpMs(this.#parts)),
        },
      }),
    };
  }

  async close(): Promise<void> {
    await Promise.all([this.#ways.close(), this.#server.close()]);
  }

  #delay(): Strike {
    const ms = delayMs(this.#parts);
    return {
      told: `every message takes ${ms} ms`,
      strike: () => this.#ways.delay(ms),
      heal: () => this.#ways.heal(),
    };
  }

  #cut(): Strike {
    return {
      told: 'nothing passes between the holder and the server any more',
      strike: () => this.#ways.cut(0),
      heal: () => this.#ways.healPlace(0),
    };
  }

  #stop(): Strike {
    return {
      told: 'the server stands still (SIGSTOP)',
      strike: async () => this.#server.stop(),
      heal: async () => this.#server.resume(),
    };
  }

  #restart(told: string): Strike {
    return {
      told,
      afterRenewal: true,
      strike: async () => {
        await this.#server.kill();
        await this.#server.restart();
      },
    };
  }

  #tear(): Strike {
    return {
      told: 'power loss: what the log took down since before the grant is gone',
      afterRenewal: true,
      prepare: async () => {
        this.#tornAt = (await this.#server.logLength()) ?? 0;
      },
      strike: async () => {
        await this.#server.kill();
        await this.#server.tearLog(this.#tornAt);
        await this.#server.restart();
      },
    };
  }
}
