import { LockError } from '@holdfast/core';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { until } from '../../../../test/support/contending.ts';
import type { RedlockOptions } from '../../src/index.ts';
import { ProxiedNodes } from './support/proxied-nodes.ts';

/** Long enough for a call to a loaded server, and short: votes without a renewal have to expire. */
const TTL_MS = 2_000;

let places: ProxiedNodes;
beforeEach(async () => {
  places = await ProxiedNodes.start(3);
});
afterEach(() => places.close());

/** All proxies lead to the first server. */
function pointAllAtOne(): void {
  const [one] = places.all;
  for (const { proxy } of places.all.slice(1)) proxy.retarget(one?.server.port ?? 0);
}

const warnings = (): string[] =>
  places.events.flatMap((event) =>
    event.type === 'warning' && event.code === 'same-server' ? [event.message] : [],
  );

describe.each(['ioredis', 'redis'] as const)('over %s', (library) => {
  const locks = (options: Partial<RedlockOptions> = {}): ReturnType<ProxiedNodes['locks']> =>
    places.locks({ library, ...options }, { ttlMs: TTL_MS });

  test('a holder whose addresses have become one server has one vote, and loses its lease before another wins', async () => {
    const here = await locks();
    const elsewhere = await locks({ sources: places.all.map(({ server }) => server.url) });
    const lease = await here.acquire('k');
    await places.untilVotes('k', 3);

    pointAllAtOne();
    const other = await elsewhere.acquire('k', { waitMs: 20_000 });

    expect(lease.signal.aborted).toBe(true);
    expect(other.signal.aborted).toBe(false);
    expect((await other.release()).kind).toBe('released');
  });

  test('three addresses that have become one server grant nothing, and are reported', async () => {
    const here = await locks();
    await (await here.acquire('warm')).release();

    pointAllAtOne();

    await expect(here.acquire('k', { waitMs: 1_000 })).rejects.toThrow(LockError);
    expect(warnings()).toHaveLength(2);
    const health = await here.health();
    expect(health.ok).toBe(false);
    expect(health.nodes.filter(({ ok }) => ok)).toHaveLength(1);
  });

  test('two addresses that have changed places go on voting', async () => {
    const here = await locks();
    await (await here.acquire('warm')).release();
    const [one, two] = places.all;

    one?.proxy.retarget(two?.server.port ?? 0);
    two?.proxy.retarget(one?.server.port ?? 0);

    const lease = await here.acquire('k', { waitMs: 20_000 });
    expect(await lease.release()).toEqual({ kind: 'released' });
    await until(async () => {
      await (await here.acquire('again', { waitMs: 5_000 })).release();
      return (await here.health()).nodes.every(({ ok }) => ok);
    });
  });
});
