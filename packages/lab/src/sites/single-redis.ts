import type { Opening } from '../clients/messages.ts';
import { LabRedis } from '../servers/redis.ts';
import { delayMs, jumpMs, type Site, type SiteParts, type Strike } from './site.ts';
import { lostReplies, lostWakeUp, swizzle } from './way-strikes.ts';
import { Ways } from './ways.ts';

/** Of a ttl: what was sent when the lease was over arrives in the turn of the next holder. */
const LATE_SHARE = 0.4;

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
    const url = `redis://127.0.0.1:${port}`;
    return { backend: this.#backend, url, library: 'ioredis', namespace, ttlMs };
  }

  /** The release of the old recipe deletes whatever stands there. */
  get othersStay(): boolean {
    return this.#backend === 'redis-getset';
  }

  deliver(): Promise<void> {
    return this.#ways.healPlace(0, { drop: false });
  }

  get strikes(): Site['strikes'] {
    const forward = this.#server.hasClock
      ? 'the wall clock of the server jumps ahead'
      : 'all expiries come sooner, as if the clock of the server had jumped ahead';
    return {
      delay: this.othersStay ? this.#delayHolder() : this.#delay(),
      'lost-reply': lostReplies(this.#ways, this.#parts),
      'lost-wakeup': lostWakeUp(this.#ways, 'subscribed'),
      swizzle: swizzle(this.#ways, 1, this.#parts),
      'client-cut': this.othersStay
        ? { ...this.#cut(false), beforeEnd: true }
        : [this.#cut(true), this.#cut(false), this.#cutOneWay()],
      'majority-down': this.#down(),
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

  /** Nobody else's messages: the late release has to meet a lock that was taken over in time. */
  #delayHolder(): Strike {
    const ms = LATE_SHARE * this.#parts.ttlMs;
    return {
      told: `every message of the holder takes ${ms} ms, less than the ttl`,
      beforeEnd: true,
      faulted: [0],
      strike: () => this.#ways.delay(ms, 0),
      heal: () => this.#ways.heal(),
    };
  }

  #cut(drop: boolean): Strike {
    const then = drop ? 'and is lost' : 'until it is over, and arrives then';
    return {
      told: `nothing passes between the holder and the server any more, ${then}`,
      strike: () => this.#ways.cut(0),
      heal: () => this.#ways.healPlace(0, { drop }),
    };
  }

  #cutOneWay(): Strike {
    return {
      told: 'nothing passes from the server to the holder any more; what the holder sends arrives',
      strike: () => this.#ways.cut(0, undefined, 'down'),
      heal: () => this.#ways.healPlace(0),
    };
  }

  #down(): Strike {
    return {
      told: 'the server is killed, and comes back with its log when the ttl is over',
      strike: () => this.#server.kill(),
      heal: () => this.#server.restart(),
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
