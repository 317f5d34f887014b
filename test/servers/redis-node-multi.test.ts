import { type Locks, OutcomeUnknownError } from '@holdfast/core';
import { createHost, createLocks } from '@holdfast/core/backend';
import type { RedisClient } from '@holdfast/redis';
import { openRedisSimple } from '@holdfast/redis-simple';
import { openRedlock } from '@holdfast/redlock';
import { Redis } from 'ioredis';
import { createClient } from 'redis';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { RedisServer } from '../../harness/test/kit/real-servers.ts';
import { until } from '../support/contending.ts';

/** A client that serves its owner and the locks, with its owner's commands. */
interface Shared {
  readonly client: RedisClient;
  readonly say: (...command: readonly string[]) => Promise<unknown>;
  readonly close: () => void;
}

async function throughIoredis(port: number): Promise<Shared> {
  const client = new Redis(port, {
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    lazyConnect: true,
  });
  await client.connect();
  const say = (name = '', ...args: readonly string[]): Promise<unknown> =>
    client.call(name, ...args);
  return { client, say, close: () => client.disconnect() };
}

async function throughNodeRedis(port: number): Promise<Shared> {
  const client = createClient({ disableOfflineQueue: true, socket: { port, host: '127.0.0.1' } });
  client.on('error', () => undefined);
  await client.connect();
  const say = (...command: readonly string[]): Promise<unknown> => client.sendCommand([...command]);
  return { client, say, close: () => client.destroy() };
}

const LOCK = 'holdfast:v1:{k}:*';

let servers: readonly RedisServer[];
let shared: readonly Shared[];
let others: readonly Redis[];
beforeEach(async () => {
  servers = await Promise.all([1, 2, 3].map(() => RedisServer.start()));
  others = servers.map(({ port }) => new Redis(port));
});
afterEach(async () => {
  for (const other of others) other.disconnect();
  for (const { close } of shared) close();
  await Promise.all(servers.map((server) => server.close()));
});

const multi = (): Promise<unknown> => Promise.all(shared.map(({ say }) => say('MULTI')));
const end = (how: 'EXEC' | 'DISCARD'): Promise<unknown> =>
  Promise.all(shared.map(({ say }) => say(how)));
/** The stored values of the key, without its fences. */
async function standing(): Promise<string[]> {
  const keys = await Promise.all(others.map((other) => other.keys(LOCK)));
  return keys.flat().filter((key) => !key.endsWith(':fence'));
}

describe.each([
  ['ioredis', throughIoredis],
  ['redis', throughNodeRedis],
] as const)(
  'through a client of %s that is used as it is, inside a MULTI of its owner',
  (_, connect) => {
    describe.each(['redis-simple', 'redlock'])('%s', (backend) => {
      let locks: Locks;
      beforeEach(async () => {
        shared = await Promise.all(servers.map(({ port }) => connect(port)));
        const sources = shared.map(({ client }) => ({ client, shareClient: true }));
        const host = createHost({ label: 'box:1' });
        const opening =
          backend === 'redlock'
            ? openRedlock({ sources }, host)
            : openRedisSimple({ source: sources[0] }, host);
        locks = createLocks(await opening, host);
      });
      afterEach(() => locks.close({ timeoutMs: 2_000 }));

      test.each(['EXEC', 'DISCARD'] as const)(
        'an attempt is a doubt, and leaves nothing after %s',
        async (how) => {
          await multi();

          const acquiring = locks.acquire('k', { waitMs: 0 });
          await expect(acquiring).rejects.toThrow(OutcomeUnknownError);
          await end(how);

          await until(async () => (await standing()).length === 0);
          const lease = await locks.acquire('k');
          expect(await lease.release()).toEqual({ kind: 'released' });
        },
      );

      test('a renewal is a doubt, and the lease continues after it', async () => {
        const lease = await locks.acquire('k');
        await multi();

        await expect(lease.extend(30_000)).rejects.toThrow(OutcomeUnknownError);
        await end('DISCARD');

        expect(lease.state).toBe('held');
        await lease.extend(30_000);
        expect(await lease.release()).toEqual({ kind: 'released' });
      });

      test('a release is a doubt, and is sent again', async () => {
        const lease = await locks.acquire('k');
        await multi();

        expect(await lease.release()).toMatchObject({ kind: 'unknown' });
        await end('DISCARD');

        await until(async () => (await standing()).length === 0);
      });

      test('inspect, forceRelease and health report an unknown outcome', async () => {
        await multi();

        await expect(locks.inspect('k')).rejects.toThrow(/MULTI/);
        expect(await locks.forceRelease('k')).toMatchObject({ kind: 'unknown' });
        const health = await locks.health();
        await end('DISCARD');

        expect(health.ok).toBe(false);
      });
    });
  },
);
