import { Verrou } from '@verrou/core';
import { redisStore } from '@verrou/core/drivers/redis';
import { ioredisClients } from './clients.ts';
import { learnRedlock } from './libraries/redlock-5.ts';
import { SimulatedServers } from './simulated-servers.ts';

export type Clients = Awaited<ReturnType<typeof ioredisClients>>;
export type ClientOptions = Parameters<typeof ioredisClients>[1];

export interface Attempt {
  /** `got it`, or the message of the error. */
  readonly outcome: string;
  readonly tookMs: number;
}

learnRedlock();

/** Sleeps in the calling process, by its own clock. */
export function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}

export async function timed(
  stage: SimulatedServers,
  ask: () => Promise<unknown>,
): Promise<Attempt> {
  const fromMs = stage.world.nowMs;
  const outcome = await ask().then(
    () => 'got it',
    (error: Error) => error.message,
  );
  return { outcome, tookMs: Math.round(stage.world.nowMs - fromMs) };
}

export async function one(
  stage: SimulatedServers,
  options?: ClientOptions,
): Promise<Clients[number]> {
  const [client] = await ioredisClients(stage.hosts, options);
  if (client === undefined) throw new Error('there is no node');
  return client;
}

export function slow(nodes: number): SimulatedServers {
  const stage = new SimulatedServers({ nodes });
  stage.rule(({ way, label }) =>
    way === 'reply' && (label === 'SET' || label === 'acquire') ? { delayMs: 800 } : 'pass',
  );
  return stage;
}

export function verrouOn(connection: Clients[number]) {
  return new Verrou({
    default: 'redis',
    stores: { redis: { driver: redisStore({ connection }) } },
  });
}
