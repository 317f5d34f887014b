import { LockError } from '@holdfast/core';
import { openLocks } from 'holdfast';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Proxy } from '../../../../harness/test/kit/real-servers.ts';
import { lockOf } from '../../../../test/support/contending.ts';
import { World } from './support/world.ts';

let world: World;
let proxy: Proxy;
beforeEach(async () => {
  world = await World.start();
  proxy = await Proxy.start(world.server.port);
});
afterEach(async () => {
  await world.close();
  await proxy.close();
});

/** Loses what is on its way in this direction, and then the connection; new ones pass. */
async function lose(way: 'up' | 'down', act: () => Promise<unknown>): Promise<unknown> {
  proxy.cut(way);
  const acting = act().catch((error: unknown) => error);
  await expect.poll(() => proxy.heldBytes, { interval: 1 }).toBeGreaterThan(0);
  proxy.heal({ drop: true });
  return await acting;
}

describe.each(['ioredis', 'redis'] as const)('over %s', (library) => {
  const open = (): ReturnType<typeof openLocks> =>
    openLocks({ backend: 'redis-simple', url: proxy.url, library });

  test('closing right after a release whose request was lost leaves the key free', async () => {
    const locks = await open();
    const lease = await locks.acquire('k');
    expect(await lose('up', () => lease.release())).toMatchObject({ kind: 'unknown' });

    await locks.close();

    expect(await world.raw.exists(lockOf('k'))).toBe(0);
  });

  test('closing right after an attempt whose reply was lost leaves the key free', async () => {
    const locks = await open();
    await locks.use('warm', () => undefined);
    expect(await lose('down', () => locks.tryAcquire('k'))).toBeInstanceOf(LockError);

    await locks.close();

    expect(await world.raw.exists(lockOf('k'))).toBe(0);
  });

  test('closing right after a key was passed on without a reply leaves it free', async () => {
    const locks = await open();
    const turn = (): Promise<unknown> => locks.use('k', () => undefined);
    await Promise.all([turn(), turn()]);
    const lease = await locks.acquire('k');
    const next = turn().catch((error: unknown) => error);
    expect(await lose('down', () => lease.release())).toMatchObject({ kind: 'unknown' });

    await locks.close();

    expect(await next).toBeInstanceOf(LockError);
    expect(await world.raw.exists(lockOf('k'))).toBe(0);
  });
});
