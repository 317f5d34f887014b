import { type Lease, type LockEvent } from '@holdfast/core';
import { createHost } from '@holdfast/core/backend';
import { expect, test } from 'vitest';
import { Bench, rejection } from './support/bench.ts';
import { busy, granted, late, renewed, unavailable } from './support/fake-backend.ts';

test('a lock reports all its events, each with key, backend, contender and durations', async () => {
  const bench = new Bench();
  const { locks, process } = bench.fake({
    attempts: [late(5, busy({ retryAfterMs: 100, holderRemainingMs: 90 })), late(5, granted())],
    renewals: [late(20, renewed())],
    releases: [late(7, { kind: 'released' })],
  });

  await bench.run(async () => {
    const lease = await locks.acquire('k', { ttlMs: 3_000 });
    await process.sleep(1_500);
    await lease.release();

    const contender = bench.reported('acquired')[0]?.contender;
    const who = { key: 'k', backend: 'fake', contender };
    expect(contender).toMatch(/^[0-9a-f]{32}$/);
    expect(bench.events).toEqual([
      { type: 'contended', ...who, waitedMs: 5, holderRemainingMs: 90 },
      { type: 'acquired', ...who, waitedMs: 110, attempts: 2, leaseMs: 3_000, fencingToken: 1n },
      { type: 'renewed', ...who, tookMs: 20, remainingMs: expect.closeTo(2_948, 2) },
      { type: 'released', ...who, outcome: 'released', heldMs: 1_505, tookMs: 7 },
    ]);
  });
});

test('a caller that has to wait reports it once, in the queue, at its head, or both', async () => {
  const bench = new Bench();
  const { locks, process } = bench.fake({
    attempts: [granted(), busy({ retryAfterMs: 10 }), busy({ retryAfterMs: 10 }), granted()],
  });

  await bench.run(async () => {
    const first = await locks.acquire('k');
    const second = locks.acquire('k');
    await process.sleep(10);
    await first.release();
    await second;

    expect(bench.types).toEqual(['acquired', 'contended', 'released', 'acquired']);
  });
});

test('a single attempt that finds the key taken reports it as well, for a holder here or elsewhere', async () => {
  const bench = new Bench();
  const { locks } = bench.fake({ attempts: [granted(), busy({ holderRemainingMs: 40 })] });

  await bench.run(async () => {
    await locks.acquire('k', { renew: false });
    await locks.tryAcquire('k');
    await locks.tryAcquire('l');

    expect(bench.reported('contended')).toMatchObject([
      { key: 'k', holderRemainingMs: 29_698 },
      { key: 'l', holderRemainingMs: 40 },
    ]);
  });
});

test('an unavailable store causes no `contended`', async () => {
  const bench = new Bench();
  const { locks } = bench.fake({ attempts: [unavailable] });

  await bench.run(async () => {
    await rejection(locks.acquire('k', { waitMs: 1_000 }));

    expect(bench.events).toEqual([]);
  });
});

test('a forced release is reported with its outcome', async () => {
  const bench = new Bench();
  const { locks } = await bench.open('p');

  await bench.run(async () => {
    const lease = await locks.acquire('k', { renew: false });

    expect(await locks.forceRelease('k')).toEqual({ kind: 'released' });
    expect(await locks.forceRelease('k')).toEqual({ kind: 'not-held' });
    expect(bench.reported('forced')).toEqual([
      { type: 'forced', key: 'k', backend: 'memory', outcome: 'released' },
      { type: 'forced', key: 'k', backend: 'memory', outcome: 'not-held' },
    ]);
    expect(await lease.release()).toEqual({ kind: 'not-held' });
  });
});

test('on() receives one type until it is removed', async () => {
  const bench = new Bench();
  const { locks } = bench.fake();
  const heard: string[] = [];

  await bench.run(async () => {
    const off = locks.on('acquired', ({ key }) => heard.push(key));
    await locks.use('k', () => {});
    off();
    await locks.use('l', () => {});

    expect(heard).toEqual(['k']);
  });
});

test('a listener that throws affects neither the lock nor other listeners, and is reported as a warning', async () => {
  const bench = new Bench();
  const { locks } = bench.fake();
  const cause = new Error('no such metric');
  const heard: string[] = [];

  await bench.run(async () => {
    locks.on('acquired', () => {
      throw cause;
    });
    locks.on('acquired', ({ key }) => heard.push(key));

    expect(await locks.use('k', () => 'done')).toBe('done');
    expect(heard).toEqual(['k']);
    expect(bench.reported('warning')).toMatchObject([
      {
        code: 'LISTENER_THREW',
        backend: 'fake',
        message: expect.stringContaining('acquired'),
        cause,
      },
    ]);
  });
});

test('a listener of a loss can wait for that key again', async () => {
  const bench = new Bench();
  const { locks, process, backend } = bench.fake();
  const again: Promise<Lease>[] = [];

  await bench.run(async () => {
    await locks.acquire('k', { ttlMs: 1_000, renew: false });
    const off = locks.on('lost', ({ key }) => again.push(locks.acquire(key)));
    await process.sleep(1_001);

    off();

    expect((await again[0])?.state).toBe('held');
    expect(backend.times('contend')).toHaveLength(2);
  });
});

test('a listener of warnings that throws is not reported, so that warnings do not repeat without end', async () => {
  const bench = new Bench();
  const { locks } = bench.fake();

  await bench.run(async () => {
    for (const type of ['warning', 'acquired'] as const) {
      locks.on(type, () => {
        throw new Error('boom');
      });
    }
    await locks.use('k', () => {});

    expect(bench.reported('warning')).toHaveLength(1);
  });
});

test('the listeners of a host receive events from the opening on', () => {
  const heard: LockEvent[] = [];
  const host = createHost({ on: { warning: (event) => heard.push(event) } });
  const warning = { type: 'warning', backend: 'x', code: 'EVICTION', message: 'beware' } as const;

  host.emit({ type: 'forced', key: 'k', backend: 'x', outcome: 'released' });
  host.emit(warning);

  expect(heard).toEqual([warning]);
});
