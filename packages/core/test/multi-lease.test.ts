import { inspect } from 'node:util';
import { InvalidOptionError, LockLostError, OutcomeUnknownError } from '@holdfast/core';
import { type Renewal, validityMs } from '@holdfast/core/backend';
import { expect, test } from 'vitest';
import { Bench, rejection } from './support/bench.ts';
import { granted, late, type ReplyFunction, renewed, unknown } from './support/fake-backend.ts';

const KEYS = ['a', 'b', 'c'] as const;
const lost = { kind: 'lost' } as const;
/** The store no longer has this one key. */
const lostOnly =
  (key: string): ReplyFunction<Renewal> =>
  (call, process) =>
    call.request.key === key ? lost : renewed()(call, process);

test('has a token for each key, and parts that may be destructured', async () => {
  const bench = new Bench();
  const attempts = [1n, 2n, 3n].map((fencingToken) => granted({ fencingToken }));
  const { locks } = bench.fake({ attempts });

  await bench.run(async () => {
    const lease = await locks.acquire(KEYS);
    const { keys, fencingTokens, state, signal, assertHeld, remainingMs, extend, release } = lease;
    expect([...fencingTokens]).toEqual([
      ['a', 1n],
      ['b', 2n],
      ['c', 3n],
    ]);
    expect(lease.fencingTokens).toBe(fencingTokens);
    expect({ keys, state }).toEqual({ keys: KEYS, state: 'held' });
    expect(() => assertHeld()).not.toThrow();
    await extend(60_000);
    expect(remainingMs()).toBe(validityMs(60_000));

    expect(await release()).toEqual({ kind: 'released' });
    expect(() => assertHeld()).toThrow("the lock on 'a' has been released");
    expect([lease.state, remainingMs(), signal.aborted]).toEqual(['released', 0, false]);
    expect(await rejection(extend(1_000))).toBeInstanceOf(LockLostError);
  });
});

test.each([true, false])('loss of one is loss of all: the signal was read: %s', async (wasRead) => {
  const bench = new Bench();
  const { locks, process, backend } = bench.fake({ renewals: [lostOnly('b')] });

  await bench.run(async () => {
    const lease = await locks.acquire(KEYS, { ttlMs: 3_000 });
    const early = wasRead ? lease.signal : undefined;
    await process.sleep(1_001);

    for (const signal of [early ?? lease.signal, lease.signal])
      expect(signal.reason).toMatchObject({ code: 'LOCK_LOST', key: 'b' });
    expect([lease.state, lease.remainingMs()]).toEqual(['lost', 0]);
    expect(() => lease.assertHeld()).toThrow("the lock on 'b' was lost");
    // Core releases also what it has lost: something of it may still be stored.
    expect(backend.times('release')).toEqual([1_000, 1_000, 1_000]);
    expect(await lease.release()).toEqual({ kind: 'not-held' });
    expect(await rejection(lease.extend(1_000))).toMatchObject({ key: 'b' });
  });
  expect(bench.reported('lost')).toMatchObject([{ key: 'b', reason: 'renewal' }]);
  expect(bench.reported('released').map(({ key }) => key)).toEqual(['a', 'c']);
});

test('use rejects with the result if one was lost, and the body hears of it', async () => {
  const bench = new Bench();
  const { locks, process } = bench.fake({ renewals: [lostOnly('a')] });

  await bench.run(async () => {
    let heardMs = 0;
    const used = locks.use(
      KEYS,
      async ({ signal }) => {
        signal.addEventListener('abort', () => (heardMs = process.nowMs));
        await process.sleep(5_000);
        return 'receipt 7';
      },
      { ttlMs: 3_000 },
    );

    expect(await rejection(used)).toMatchObject({
      code: 'LOCK_LOST',
      key: 'a',
      result: 'receipt 7',
    });
    expect(heardMs).toBe(1_000);
  });
});

test.each([
  { outcomes: ['released', 'released', 'released'], worst: 'released' },
  { outcomes: ['released', 'not-held', 'released'], worst: 'not-held' },
  { outcomes: ['not-held', 'unknown', 'released'], worst: 'unknown' },
] as const)('the worst outcome of a release counts: $outcomes', async ({ outcomes, worst }) => {
  const bench = new Bench();
  const releases = outcomes.map((kind) => (kind === 'unknown' ? unknown : { kind }));
  const { locks } = bench.fake({ releases });

  await bench.run(async () => {
    const lease = await locks.acquire(KEYS);
    expect((await lease.release()).kind).toBe(worst);
    expect((await lease.release()).kind).toBe(worst);
    expect(lease.state).toBe('released');
  });
});

test('a key that only the release misses is the one that use reports', async () => {
  const bench = new Bench();
  const { locks } = bench.fake({ releases: [{ kind: 'released' }, { kind: 'not-held' }] });

  await bench.run(async () => {
    const error = await rejection(locks.use(['a', 'b'], () => 'done'));

    expect(error).toMatchObject({ code: 'LOCK_LOST', key: 'b', result: 'done' });
  });
});

test('lasts as long as the key with the least time, and extend extends all', async () => {
  const bench = new Bench();
  const { locks, process, backend } = bench.fake({ attempts: [late(200, granted())] });

  await bench.run(async () => {
    const lease = await locks.acquire(KEYS, { ttlMs: 10_000, renew: false });
    // Valid from the arrival at this fake; the first arrived 400 ms before the last.
    expect(lease.remainingMs()).toBeLessThanOrEqual(validityMs(10_000) - 400);
    await lease.extend(20_000);
    expect(lease.remainingMs()).toBe(validityMs(20_000));
    expect(backend.times('renew')).toHaveLength(3);
    await lease.extend(1_000);
    await process.sleep(1_000);
    expect(lease.state).toBe('lost');
  });
});

test.each([
  { outcome: unknown, error: OutcomeUnknownError },
  { outcome: lost, error: LockLostError },
])('an extension of one that is $outcome.kind rejects', async ({ outcome, error }) => {
  const bench = new Bench();
  const { locks } = bench.fake({ renewals: [renewed(), outcome, renewed()] });

  await bench.run(async () => {
    const lease = await locks.acquire(KEYS, { ttlMs: 10_000 });
    const thrown = await rejection(lease.extend(20_000));

    expect(thrown).toBeInstanceOf(error);
    expect(thrown).toMatchObject({ key: 'b' });
    expect(lease.remainingMs()).toBe(outcome === lost ? 0 : validityMs(10_000));
    expect(await rejection(lease.extend(1))).toBeInstanceOf(InvalidOptionError);
    await lease.release();
  });
});

test('keepMs keeps every key, from the last grant on', async () => {
  const bench = new Bench();
  const [a, b] = [await bench.open('a', {}, 50), await bench.open('b')];

  await bench.run(async () => {
    expect(await a.locks.tryUse(KEYS, () => 7, { keepMs: 5_000 })).toEqual({ ran: true, value: 7 });
    expect(a.process.nowMs).toBe(300);
    await a.process.sleep(4_900);
    for (const key of KEYS) expect(await b.locks.tryAcquire(key)).toBeNull();
    await a.process.sleep(200);
    const next = await b.locks.tryAcquire(KEYS);
    expect(next?.state).toBe('held');
    await next?.release();
  });
});

test('close signals it, waits for it, and reports each key that is held too long', async () => {
  const bench = new Bench();
  const { locks, process } = bench.fake();

  await bench.run(async () => {
    const lease = await locks.acquire(['a', 'b']);
    const { signal } = lease;
    const closing = locks.close({ timeoutMs: 100 });
    await process.sleep(50);
    expect(signal.reason).toMatchObject({ code: 'CLOSING' });
    expect(lease.signal).toBe(signal);
    expect(lease.state).toBe('held');

    const { stillHeld } = await closing;
    expect(stillHeld.map(({ key }) => key)).toEqual(['a', 'b']);
    expect((await lease.release()).kind).toBe('unknown');
  });
});

test('close waits until all its keys are released', async () => {
  const bench = new Bench();
  const { locks, process } = bench.fake({ releases: [late(30, { kind: 'released' })] });

  await bench.run(async () => {
    const lease = await locks.acquire(['a', 'b']);
    const closing = locks.close();
    await process.sleep(50);
    expect(lease.signal.reason).toMatchObject({ code: 'CLOSING' });
    await lease[Symbol.asyncDispose]();
    expect(await closing).toEqual({ stillHeld: [] });
    expect(process.nowMs).toBe(80);
  });
});

test('prints its keys, state, time, tokens and backend, and no owner value', async () => {
  const bench = new Bench();
  const { locks } = bench.fake();

  await bench.run(async () => {
    const lease = await locks.acquire(['a', 'b']);
    const remainingMs = validityMs(30_000);

    expect(inspect(lease, { breakLength: Number.POSITIVE_INFINITY, compact: true })).toBe(
      `MultiLease { keys: [ 'a', 'b' ], state: 'held', remainingMs: ${remainingMs}, fencingTokens: Map(2) { 'a' => 1n, 'b' => 1n }, backend: 'fake' }`,
    );
    await lease.release();
  });
});

test('a lock bound to several keys has all four methods', async () => {
  const bench = new Bench();
  const { locks, backend } = bench.fake();
  const lock = locks.for(['b', 'a'], { ttlMs: 5_000, waitMs: 1 });

  await bench.run(async () => {
    expect(lock.keys).toEqual(['a', 'b']);
    await lock.use(({ keys }) => expect(keys).toEqual(lock.keys));
    await (await lock.acquire({ ttlMs: 7_000 })).release();
    await (await lock.tryAcquire())?.release();
    expect(await lock.tryUse(() => 7)).toEqual({ ran: true, value: 7 });

    const contended = backend.calls.filter(({ what }) => what === 'contend');
    expect(contended.map(({ request }) => request.ttlMs)).toEqual(
      [5_000, 7_000, 5_000, 5_000].flatMap((ttlMs) => [ttlMs, ttlMs]),
    );
  });
});

test('is lost at maxHoldMs by itself, though nobody looks at it', async () => {
  const bench = new Bench();
  const { locks, process } = bench.fake();

  await bench.run(async () => {
    await locks.acquire(['a', 'b'], { maxHoldMs: 2_000 });
    await process.sleep(2_001);

    expect(bench.reported('lost')).toMatchObject([{ heldMs: 2_000 }, { heldMs: 2_000 }]);
  });
});
