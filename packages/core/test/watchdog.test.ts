import { remainingMs, type Validity, validityMs } from '@holdfast/core/backend';
import { expect, test } from 'vitest';
import { Bench } from './support/bench.ts';
import {
  type Call,
  Deferred,
  granted,
  grantedFor,
  late,
  renewed,
  unknown,
} from './support/fake-backend.ts';

/** The send time of each renewal, to a tenth of a millisecond. */
function renewals(calls: readonly Call[]): number[] {
  return calls.filter(({ what }) => what === 'renew').map(({ atMs }) => Math.round(atMs * 10) / 10);
}

test('renews at a third of the ttl, counted from the send time', async () => {
  const bench = new Bench();
  const { locks, process, backend } = bench.fake({
    attempts: [late(120, granted())],
    renewals: [late(80, renewed())],
  });

  await bench.run(async () => {
    const lease = await locks.acquire('k', { ttlMs: 3_000 });
    await process.sleep(10_000);

    expect(lease.state).toBe('held');
    expect(renewals(backend.calls)).toEqual(Array.from({ length: 10 }, (_, i) => 1_000 * (i + 1)));
    expect(backend.calls.findLast(({ what }) => what === 'renew')?.ms).toBe(3_000);
  });
});

test('renews while a fifth of the ttl is left, where the lease has less from the beginning', async () => {
  const bench = new Bench();
  const { locks, process, backend } = bench.fake({
    attempts: [grantedFor(1_400)],
    renewals: [renewed()],
  });

  await bench.run(async () => {
    const lease = await locks.acquire('k', { ttlMs: 3_000 });
    await process.sleep(2_000);

    expect(lease.state).toBe('held');
    expect(renewals(backend.calls)).toEqual([800, 1_800]);
  });
});

test('renews at once where less than a fifth of the ttl is left from the beginning', async () => {
  const bench = new Bench();
  const { locks, process, backend } = bench.fake({
    attempts: [grantedFor(450)],
    renewals: [renewed()],
  });

  await bench.run(async () => {
    await locks.acquire('k', { ttlMs: 3_000 });
    await process.sleep(500);

    expect(renewals(backend.calls)).toEqual([0]);
  });
});

test('after a renewal that adds nothing tries again a tenth of the ttl later', async () => {
  const bench = new Bench();
  let ends: Validity | undefined;
  const { locks, process, backend } = bench.fake({
    attempts: [
      (call, p) => {
        ends = { from: p.clocks, ms: validityMs(3_000) };
        return granted({ validity: ends })(call, p);
      },
    ],
    renewals: [
      // Counted from now, it ends when the lease would have ended anyway.
      (_, p) => {
        const ms = ends === undefined ? 0 : remainingMs(ends, p.runtime);
        return { kind: 'renewed', validity: { from: p.clocks, ms } };
      },
      renewed(),
    ],
  });

  await bench.run(async () => {
    await locks.acquire('k', { ttlMs: 3_000 });
    await process.sleep(2_000);

    expect(renewals(backend.calls)).toEqual([1_000, 1_300]);
  });
});

test('a renewal counts from its send time, too', async () => {
  const bench = new Bench();
  const { locks, process } = bench.fake({ renewals: [late(80, renewed())] });

  await bench.run(async () => {
    const lease = await locks.acquire('k', { ttlMs: 3_000 });
    await process.sleep(1_080.1);

    expect(lease.remainingMs()).toBeCloseTo(validityMs(3_000) - 80.1, 2);
  });
});

test('after an unknown outcome retries a tenth of the ttl later', async () => {
  const bench = new Bench();
  const { locks, process, backend } = bench.fake({
    renewals: [unknown, late(50, unknown), renewed()],
  });

  await bench.run(async () => {
    await locks.acquire('k', { ttlMs: 3_000 });
    await process.sleep(2_700);

    expect(renewals(backend.calls)).toEqual([1_000, 1_300, 1_650, 2_650]);
  });
});

test('an unknown outcome neither ends nor prolongs a lease', async () => {
  const bench = new Bench();
  const { locks, process } = bench.fake({ renewals: [unknown] });

  await bench.run(async () => {
    const lease = await locks.acquire('k', { ttlMs: 3_000 });
    await process.sleep(2_900);
    expect(lease.state).toBe('held');
    expect(lease.remainingMs()).toBe(validityMs(3_000) - 2_900);

    await process.sleep(100);
    expect(lease.state).toBe('lost');
  });
});

test('a renewal that throws is doubt', async () => {
  const bench = new Bench();
  const { locks, process, backend } = bench.fake({
    renewals: [() => Promise.reject(new Error('connection reset')), renewed()],
  });

  await bench.run(async () => {
    const lease = await locks.acquire('k', { ttlMs: 3_000 });
    await process.sleep(5_000);

    expect(lease.state).toBe('held');
    expect(renewals(backend.calls)).toEqual([1_000, 1_300, 2_300, 3_300, 4_300]);
  });
});

test('never sends two renewals at once, not even if one is slow or requested by extend', async () => {
  const bench = new Bench();
  let inFlight = 0;
  let most = 0;
  const { locks, process } = bench.fake({
    renewals: [
      async (call, p) => {
        most = Math.max(most, ++inFlight);
        await p.sleep(1_300);
        inFlight--;
        return renewed()(call, p);
      },
    ],
  });

  await bench.run(async () => {
    const lease = await locks.acquire('k', { ttlMs: 3_000 });
    await process.sleep(1_100);
    await Promise.all([lease.extend(4_000), lease.extend(5_000)]);
    await lease.extend(3_000);
    await lease.extend(6_000);
    await process.sleep(10_000);

    expect(most).toBe(1);
    expect(lease.state).toBe('held');
  });
});

test.each([
  { how: 'fails at once', answer: unknown, most: 7 },
  { how: 'succeeds', answer: renewed(), most: 3 },
  {
    how: 'succeeds with a validity that is nearly over',
    answer: late(60, renewed()),
    most: 3,
  },
])('at the shortest ttl it does not spin when every renewal $how', async ({ answer, most }) => {
  const bench = new Bench();
  const { locks, process, backend } = bench.fake({ renewals: [answer] });

  await bench.run(async () => {
    await locks.acquire('k', { ttlMs: 100 });
    await process.sleep(100);

    expect(backend.times('renew').length).toBeLessThanOrEqual(most);
    expect(backend.times('renew').length).toBeGreaterThan(0);
  });
});

test('a renewal with less validity than is known shortens nothing', async () => {
  const bench = new Bench();
  const { locks, process } = bench.fake({
    renewals: [(_, p) => ({ kind: 'renewed', validity: { from: p.clocks, ms: 10 } })],
  });

  await bench.run(async () => {
    const lease = await locks.acquire('k', { ttlMs: 3_000 });
    await process.sleep(2_900);

    expect(lease.state).toBe('held');
  });
});

test('renew: false leaves a fixed lease', async () => {
  const bench = new Bench();
  const { locks, process, backend } = bench.fake();

  await bench.run(async () => {
    const lease = await locks.acquire('k', { ttlMs: 3_000, renew: false });
    await process.sleep(validityMs(3_000));

    expect(lease.state).toBe('lost');
    expect(backend.times('renew')).toEqual([]);
  });
});

test('release stops renewal first, and does not wait for one in flight', async () => {
  const bench = new Bench();
  const slow = new Deferred<never>();
  const { locks, process, backend } = bench.fake({ renewals: [slow.promise] });

  await bench.run(async () => {
    const lease = await locks.acquire('k', { ttlMs: 3_000 });
    await process.sleep(1_100);
    const release = await lease.release();
    await process.sleep(20_000);

    expect(release).toEqual({ kind: 'released' });
    expect(backend.times('release')).toEqual([1_100]);
    expect(backend.times('renew')).toHaveLength(1);
  });
});

test('a renewal that was in flight when the key was released changes nothing any more', async () => {
  const bench = new Bench();
  const { locks, process, backend } = bench.fake({ renewals: [late(500, renewed())] });

  await bench.run(async () => {
    const lease = await locks.acquire('k', { ttlMs: 3_000 });
    await process.sleep(1_100);
    await lease.release();
    expect(bench.world.pendingTimers()).toBe(0);
    await process.sleep(500);
    expect(bench.world.pendingTimers()).toBe(0);
    await process.sleep(20_000);

    expect(lease.state).toBe('released');
    expect(backend.times('renew')).toHaveLength(1);
    expect(bench.types).toEqual(['acquired', 'released']);
    expect(bench.world.pendingTimers()).toBe(0);
  });
});

test('a loss stops renewal', async () => {
  const bench = new Bench();
  const { locks, process, backend } = bench.fake({ renewals: [{ kind: 'lost' }] });

  await bench.run(async () => {
    await locks.acquire('k', { ttlMs: 3_000 });
    await process.sleep(20_000);

    expect(backend.times('renew')).toHaveLength(1);
    expect(bench.world.pendingTimers()).toBe(0);
  });
});
