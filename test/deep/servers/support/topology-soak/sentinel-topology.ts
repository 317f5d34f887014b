import { setTimeout as sleep } from 'node:timers/promises';
import {
  type RedisServer,
  SentinelDeployment,
} from '../../../../../harness/test/kit/real-servers.ts';
import type { Injection } from './injection.ts';
import { behindLag, COUNT, type Keys, oneOf, type Topology } from './topology.ts';

/** Long enough that a busy machine fails nothing over by itself. */
const DOWN_AFTER_MS = 2_000;
/** An old master that lives takes writes for up to so long. */
const OLD_MASTER_MS = 1_500;

/** A master, two replicas and three sentinels. */
export class SentinelTopology implements Topology {
  readonly name = 'sentinel';
  readonly replicas = 2;
  readonly #redis: SentinelDeployment;

  private constructor(redis: SentinelDeployment) {
    this.#redis = redis;
  }

  static async start(): Promise<SentinelTopology> {
    return new SentinelTopology(await SentinelDeployment.start({ downAfterMs: DOWN_AFTER_MS }));
  }

  get servers(): readonly RedisServer[] {
    return this.#redis.servers;
  }

  get injections(): readonly Injection[] {
    const redis = this.#redis;
    return [
      {
        kind: 'planned failover',
        changesMaster: true,
        inject: async (draw) => {
          await redis.failover();
          await sleep(draw() * OLD_MASTER_MS);
        },
      },
      {
        kind: 'planned failover to a lagging replica',
        changesMaster: true,
        inject: async (draw) => {
          await this.#behindLag(() => redis.failover());
          await sleep(draw() * OLD_MASTER_MS);
        },
      },
      { kind: 'master killed', changesMaster: true, inject: () => this.#kill() },
      {
        kind: 'master killed, replicas lagging',
        changesMaster: true,
        inject: () => this.#behindLag(() => this.#kill()),
      },
      {
        kind: 'master paused',
        changesMaster: true,
        inject: async (draw) => {
          const old = await redis.master();
          old.stop();
          await redis.moved(old);
          await sleep(draw() * OLD_MASTER_MS);
          old.resume();
          await sleep(draw() * OLD_MASTER_MS);
        },
      },
      {
        kind: 'replica restarted',
        changesMaster: false,
        inject: async (draw) => {
          const replica = oneOf(await this.#replicas(), draw);
          await replica.end();
          await sleep(draw() * 500);
          await replica.restart();
        },
      },
      {
        kind: 'sentinel restarted',
        changesMaster: false,
        inject: async (draw) => {
          const sentinel = oneOf(redis.sentinels, draw);
          sentinel.kill();
          await sleep(500 + draw() * 500);
          await sentinel.restart();
          await redis.settled();
        },
      },
    ];
  }

  /** Sentinels are reached directly. */
  urlAt(): string {
    return this.#redis.url;
  }

  async isMaster(at: number): Promise<boolean> {
    const server = this.servers[at];
    return server !== undefined && (await this.#redis.command(server, 'ROLE')).includes('master');
  }

  recover(): Promise<void> {
    return this.#redis.recover();
  }

  async keys(): Promise<Keys> {
    const reply = await this.#redis.command(await this.#redis.master(), 'EVAL', COUNT, '0');
    const [all = 0, locks = 0] = Array.from(reply.matchAll(/:(\d+)/g), ([, n]) => Number(n));
    return { all, locks };
  }

  close(): Promise<void> {
    return this.#redis.close();
  }

  async #replicas(): Promise<readonly RedisServer[]> {
    const master = await this.#redis.master();
    return this.servers.filter((each) => each !== master);
  }

  async #kill(): Promise<void> {
    const old = await this.#redis.master();
    await old.end();
    await this.#redis.moved(old);
  }

  async #behindLag(failOver: () => Promise<unknown>): Promise<void> {
    const master = await this.#redis.master();
    const disconnect = (): Promise<string> =>
      this.#redis.command(master, 'CLIENT', 'KILL', 'TYPE', 'REPLICA');
    await behindLag(await this.#replicas(), disconnect, failOver);
  }
}
