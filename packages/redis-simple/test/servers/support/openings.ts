import type { LockEvent } from '@holdfast/core';
import {
  type Backend,
  type Contender,
  createHost,
  type ListenableHost,
} from '@holdfast/core/backend';
import type {
  RedisServer,
  SentinelDeployment,
} from '../../../../../harness/test/kit/real-servers.ts';
import { lockOf, until } from '../../../../../test/support/contending.ts';
import { openRedisSimple, type RedisSimpleOptions } from '../../../src/index.ts';

export type Opening = RedisSimpleOptions;
/** A contender that is woken. */
export type Waiter = Contender & Required<Pick<Contender, 'changed'>>;

/** The backends that one test opens behind sentinels, and what it waits for. */
export class Openings {
  readonly events: LockEvent[] = [];
  readonly host: ListenableHost = createHost({
    label: 'box:1',
    on: { warning: (event) => this.events.push(event) },
  });
  readonly #opened: Backend[] = [];

  async open(options: Opening): Promise<Backend> {
    const backend = await openRedisSimple(options, this.host);
    this.#opened.push(backend);
    return backend;
  }

  /** Resolves once every server has this lock. */
  async replicated(redis: SentinelDeployment, key: string, owner: string): Promise<void> {
    await until(async () => {
      const reading = redis.servers.map((server) => redis.command(server, 'GET', lockOf(key)));
      return (await Promise.all(reading)).every((value) => value.includes(owner));
    });
  }

  /** Makes a waiter listen; resolves once its subscription is live on this server. */
  async listens(waiter: Waiter, redis: SentinelDeployment, server: RedisServer): Promise<void> {
    void waiter.changed(AbortSignal.timeout(20_000));
    await until(async () => {
      const channels = await redis.command(server, 'PUBSUB', 'CHANNELS');
      return channels.includes(':channel');
    });
  }

  async close(): Promise<void> {
    await Promise.all(this.#opened.map((backend) => backend.close({ timeoutMs: 1_000 })));
  }
}
