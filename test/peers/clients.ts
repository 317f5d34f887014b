import { Redis, type RedisOptions } from 'ioredis';
import { createClient } from 'redis';

/** A service that survives errors of its client listens like this: an `error` event without a listener ends the process. */
const ignore = (): void => {};

/** Clients of `ioredis` with its default options, or as given. Resolves when all are connected. */
export async function ioredisClients(
  hosts: readonly string[],
  options: Pick<RedisOptions, 'enableOfflineQueue' | 'maxRetriesPerRequest'> = {},
): Promise<readonly Redis[]> {
  const clients = hosts.map((host) => new Redis({ host, ...options }).on('error', ignore));
  await Promise.all(
    clients.map((client) => new Promise<void>((resolve) => client.once('ready', () => resolve()))),
  );
  return clients;
}

/** A client of `redis` (node-redis) with its default options. Resolves when it is connected. */
export async function nodeRedisClient(host: string) {
  const client = createClient({ socket: { host } });
  client.on('error', ignore);
  await client.connect();
  return client;
}
