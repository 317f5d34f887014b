import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Lease, LockLostError, type Locks } from '@holdfast/core';
import { openLocks } from 'holdfast';
import { createClient } from 'redis';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { RedisServer } from '../../../../harness/test/kit/real-servers.ts';

/** A third of it is left when a renewal finds the loss, and one more if the machine is busy. */
const TTL_MS = 3_000;

let server: RedisServer;
let locks: Locks;

beforeEach(async () => {
  server = await RedisServer.start();
});

afterEach(async () => {
  server.resume();
  await locks.close({ timeoutMs: 500 });
  await server.close();
});

async function steal(): Promise<void> {
  const thief = createClient({ url: server.url });
  await thief.connect();
  await thief.set('holdfast:v1:{k}:lock', 'thief:1:thief', {
    expiration: { type: 'PX', value: 60_000 },
  });
  thief.destroy();
}

/** On a busy machine it is over before the thief has come. */
async function aborted(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, 'abort');
}

/** The first of two events: the report of the loss, or the end of a ttl that began only after the grant had arrived. */
async function race(lease: Lease): Promise<string[]> {
  const order: string[] = [];
  const lost = once(lease.signal, 'abort').then(() => order.push('lost'));
  const over = sleep(TTL_MS).then(() => order.push('the ttl is over'));
  await Promise.all([lost, over]);
  return order;
}

describe.each(['ioredis', 'redis'] as const)('over %s', (library) => {
  test.each([
    ['its server was killed', () => server.kill()],
    ['its server is paused', () => server.stop()],
    ['its key was stolen', steal],
  ] as const)(
    'a holder learns of its loss before its ttl is over, when %s',
    async (_what, injection) => {
      locks = await openLocks({ backend: 'redis-simple', url: server.url, library, ttlMs: TTL_MS });
      const lease = await locks.acquire('k');
      const racing = race(lease);

      await injection();

      expect(await racing).toEqual(['lost', 'the ttl is over']);
      expect(lease.signal.reason).toBeInstanceOf(LockLostError);
      expect(() => lease.assertHeld()).toThrow(LockLostError);
      expect(await lease.release()).toEqual({ kind: 'not-held' });
    },
  );

  test('the error of the body wins over a loss, and a loss carries what the body returned', async () => {
    locks = await openLocks({ backend: 'redis-simple', url: server.url, library, ttlMs: TTL_MS });
    const own = new Error('my own');

    const failing = locks.use('k', async ({ signal }) => {
      await steal();
      await aborted(signal);
      throw own;
    });
    await expect(failing).rejects.toBe(own);
    await locks.forceRelease('k');

    const succeeding = locks.use('k', async ({ signal }) => {
      await steal();
      await aborted(signal);
      return 42;
    });
    await expect(succeeding).rejects.toMatchObject({ code: 'LOCK_LOST', result: 42 });
  });
});
