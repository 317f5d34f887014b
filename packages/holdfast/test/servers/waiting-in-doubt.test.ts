import { BackendUnavailableError, type Locks, OutcomeUnknownError } from '@holdfast/core';
import { openLocks } from 'holdfast';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { RedisServer } from '../../../../harness/test/kit/real-servers.ts';

/** One call may take a tenth of it. */
const TTL_MS = 1_000;
const WAIT_MS = 1_500;

let server: RedisServer;
const opened: Locks[] = [];

beforeEach(async () => {
  server = await RedisServer.start();
});

afterEach(async () => {
  server.resume();
  await Promise.all(opened.splice(0).map((locks) => locks.close({ timeoutMs: 500 })));
  await server.close();
});

async function open(library: 'ioredis' | 'redis'): Promise<Locks> {
  const config = { backend: 'redis-simple', url: server.url, library, ttlMs: TTL_MS } as const;
  const locks = await openLocks(config);
  opened.push(locks);
  return locks;
}

/** The errors of two waiters of one process, for a key that was held when the server failed. */
async function outcomes(library: 'ioredis' | 'redis', injection: () => void): Promise<unknown[]> {
  const [holder, waiter] = [await open(library), await open(library)];
  await holder.acquire('k');
  let events = 0;
  // The first learns it from the server, the second from its position in the local queue.
  const contended = new Promise<void>((resolve) =>
    waiter.on('contended', () => {
      events += 1;
      if (events === 2) resolve();
    }),
  );
  const waiting = Array.from({ length: 2 }, () =>
    waiter.acquire('k', { waitMs: WAIT_MS }).catch((error: unknown) => error),
  );
  await contended;
  injection();
  return await Promise.all(waiting);
}

describe.each(['ioredis', 'redis'] as const)('over %s', (library) => {
  test('a key that was held before its server was killed is reported as locked to no waiter', async () => {
    const errors = await outcomes(library, () => server.kill());

    expect(errors).toEqual([
      expect.any(BackendUnavailableError),
      expect.any(BackendUnavailableError),
    ]);
  });

  test('a key that was held before its server was paused leaves its first waiter in doubt', async () => {
    const errors = await outcomes(library, () => server.stop());

    expect(errors).toEqual([expect.any(OutcomeUnknownError), expect.any(BackendUnavailableError)]);
  });
});
