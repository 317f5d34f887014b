import { LockLostError, LockTimeoutError, OutcomeUnknownError } from '@holdfast/core';
import { describe, expect, test } from 'vitest';
import { Bench, rejection } from './support/bench.ts';
import { busy, granted, late, renewed, unavailable, unknown } from './support/fake-backend.ts';

const KEYS = ['b', 'a'] as const;

test('takes each key once, in the order of code units, whatever the order in the array', async () => {
  const bench = new Bench();
  const { locks, backend } = bench.fake();

  await bench.run(async () => {
    // By locale, ä would come before b, and a before Z.
    const lease = await locks.acquire(['b', 'ä', 'Z', 'a', 'b', '10', '9']);

    expect(lease.keys).toEqual(['10', '9', 'Z', 'a', 'b', 'ä']);
    const contended = backend.calls.filter(({ what }) => what === 'contend');
    expect(contended.map(({ request }) => request.key)).toEqual(lease.keys);
    expect(await lease.release()).toEqual({ kind: 'released' });
    expect(backend.times('release')).toHaveLength(6);
  });
});

describe('nothing is sent for', () => {
  const many = Array.from({ length: 65 }, (_, at) => `key ${at}`);

  test.each<[string, unknown, string]>([
    ['no key', [], 'a list of keys is empty; name at least one'],
    ['too many', many, '65 keys are too many for one lease; at most 64 are allowed'],
    ['an empty one', ['a', ''], 'key "" is empty'],
    ['one that is no string', ['a', 7], 'key 7 is not a string'],
    ['a list in the list', [['a']], 'key a is not a string'],
    ['a hole', Array(2), 'key undefined is not a string'],
    ['a set', new Set(['a']), 'key [object Set] is not a string'],
  ])('%s', async (_, keys, message) => {
    const bench = new Bench();
    const { locks, backend } = bench.fake();

    await bench.run(async () => {
      const calls = [
        () => locks.acquire(keys as never),
        () => locks.tryAcquire(keys as never),
        () => locks.use(keys as never, () => {}),
        () => locks.tryUse(keys as never, () => {}),
        async () => locks.for(keys as never),
      ];
      for (const call of calls)
        expect(await rejection(call())).toMatchObject({ code: 'INVALID_KEY', message });
      expect(backend.calls).toEqual([]);
    });
  });

  test('inspect and forceRelease: they take one key', async () => {
    const bench = new Bench();
    const { locks } = await bench.open('p');

    await bench.run(async () => {
      for (const call of [locks.inspect(['a'] as never), locks.forceRelease(['a'] as never)])
        expect(await rejection(call)).toMatchObject({ code: 'INVALID_KEY' });
    });
  });
});

test('64 keys are one lease, and duplicates do not count', async () => {
  const bench = new Bench();
  const { locks } = await bench.open('p');
  const keys = Array.from({ length: 64 }, (_, at) => `key ${at}`);

  await bench.run(async () => {
    await using lease = await locks.acquire([...keys, ...keys]);

    expect(lease.keys).toHaveLength(64);
  });
});

test('waits for each, within one waitMs, and the error names the key that it waited for', async () => {
  const bench = new Bench();
  const [a, b] = [await bench.open('a', {}, 5), await bench.open('b', {}, 5)];

  await bench.run(async () => {
    const other = await b.locks.acquire('b');
    void a.process.sleep(600).then(() => other.release());
    const first = await a.locks.acquire(['a', 'b'], { waitMs: 1_000 });
    expect(a.process.nowMs).toBeGreaterThan(600);
    const fromMs = a.process.nowMs;
    // What it waits for one key is gone for the next one.
    const before = await a.locks.acquire('a0');
    void a.process.sleep(600).then(() => before.release());
    const error = await rejection(b.locks.acquire(['a0', 'b'], { waitMs: 1_000 }));

    expect(error).toBeInstanceOf(LockTimeoutError);
    expect(error).toMatchObject({ key: 'b' });
    expect(String(error)).toMatch(/could not acquire 'b' on memory within 9\d\d ms: it is locked/);
    expect(b.process.nowMs - fromMs).toBeLessThan(1_100);
    expect(await b.locks.inspect('a0')).toMatchObject({ held: false });
    await first.release();
  });
});

test('tryAcquire and waitMs: 0 attempt each key once, and leave nothing behind', async () => {
  const bench = new Bench();
  const [a, b] = [await bench.open('a', {}, 5), await bench.open('b', {}, 5)];

  await bench.run(async () => {
    const other = await b.locks.acquire('b');
    expect(await a.locks.tryAcquire(KEYS)).toBeNull();
    expect(await a.locks.tryUse(KEYS, () => 1)).toEqual({ ran: false });
    expect(await rejection(a.locks.acquire(KEYS, { waitMs: 0 }))).toBeInstanceOf(LockTimeoutError);

    expect(bench.store.inspect('a')).toBeUndefined();
    await other.release();
    const lease = await a.locks.tryAcquire(KEYS);
    expect(lease?.state).toBe('held');
    // Behind a local holder of one of them, nothing is sent.
    expect(await a.locks.tryAcquire(['b', 'c'])).toBeNull();
    await lease?.release();
  });
});

test('what is taken is renewed while the next key is waited for, also with renew: false', async () => {
  const bench = new Bench();
  const a = await bench.open('a', { ttlMs: 1_000 }, 5);
  const b = await bench.open('b', {}, 5);

  await bench.run(async () => {
    const other = await b.locks.acquire('b');
    void b.process.sleep(5_000).then(() => other.release());
    const lease = await a.locks.acquire(KEYS, { renew: false });

    expect(bench.reported('renewed').filter(({ key }) => key === 'a').length).toBeGreaterThan(10);
    expect(lease.remainingMs()).toBeGreaterThan(600);
    await a.process.sleep(1_000);
    expect(lease.state).toBe('lost');
    expect(bench.reported('lost')).toMatchObject([{ key: 'a', reason: 'deadline' }]);
  });
});

test('maxHoldMs counts from the last grant', async () => {
  const bench = new Bench();
  const [a, b] = [await bench.open('a', {}, 5), await bench.open('b', {}, 5)];

  await bench.run(async () => {
    const other = await b.locks.acquire('b');
    void b.process.sleep(5_000).then(() => other.release());
    const lease = await a.locks.acquire(KEYS, { maxHoldMs: 2_000 });

    expect(lease.remainingMs()).toBeGreaterThan(1_980);
    await a.process.sleep(2_000);
    expect(lease.state).toBe('lost');
    expect(bench.reported('lost')).toMatchObject([
      { key: 'a', reason: 'max-hold' },
      { key: 'b', reason: 'max-hold' },
    ]);
  });
});

test('a key that is lost while the next is waited for ends the wait at once', async () => {
  const bench = new Bench();
  const attempts = [granted(), busy()];
  const { locks, process, backend } = bench.fake({ attempts, renewals: [{ kind: 'lost' }] });

  await bench.run(async () => {
    const error = await rejection(locks.acquire(KEYS, { ttlMs: 3_000 }));

    expect(error).toBeInstanceOf(LockLostError);
    expect(error).toMatchObject({ key: 'a' });
    expect(process.nowMs).toBe(1_000);
  });
  expect(backend.times('withdraw')).toEqual([1_000]);
  expect(bench.types).toEqual(['acquired', 'contended', 'lost']);
});

test('a wait that ends when a taken key is lost already reports the loss: something may still be stored', async () => {
  const bench = new Bench();
  const { locks, process } = bench.fake({ attempts: [granted(), busy()] });

  await bench.run(async () => {
    const waiting = rejection(locks.acquire(KEYS, { ttlMs: 1_000, waitMs: 500 }));
    await process.sleep(100);
    // Both the wait and the lease on a are over when it resumes, the wait first.
    process.pause(5_000);

    expect(await waiting).toMatchObject({ code: 'LOCK_LOST', key: 'a' });
  });
});

test('an abort rejects at once; what was taken is released in the background', async () => {
  const bench = new Bench();
  const released = { kind: 'released' } as const;
  const plan = { attempts: [granted(), busy()], releases: [late(50, released)] };
  const { locks, process, backend } = bench.fake(plan);
  const { signal, abort } = aborter();

  await bench.run(async () => {
    void process.sleep(300).then(abort);
    expect(await rejection(locks.acquire(KEYS, { signal }))).toBe('no longer wanted');
    expect(process.nowMs).toBe(300);
    expect(await rejection(locks.acquire(KEYS, { signal }))).toBe('no longer wanted');
    expect(backend.times('contend')).toHaveLength(2);
    await locks.close();
    expect(process.nowMs).toBe(350);
  });
  expect(bench.reported('released')).toMatchObject([{ key: 'a', outcome: 'released' }]);
});

test('an abort does not touch a lease that is held', async () => {
  const bench = new Bench();
  const { locks } = bench.fake();
  const { signal, abort } = aborter();

  await bench.run(async () => {
    await using lease = await locks.acquire(KEYS, { signal });
    abort();
    expect(lease.state).toBe('held');
  });
});

test.each([
  { how: 'a key is taken', last: busy() },
  { how: 'the store is down', last: unavailable },
])('if $how and a release gets no reply, the outcome is unknown', async ({ last }) => {
  const bench = new Bench();
  const { locks } = bench.fake({ attempts: [granted(), last], releases: [unknown] });

  await bench.run(async () => {
    const error = await rejection(locks.tryAcquire(KEYS));

    expect(error).toBeInstanceOf(OutcomeUnknownError);
    expect(error).toMatchObject({ key: 'a', untilMs: 30_000, cause: { key: 'b' } });
    expect(String(error)).toContain("'a' was taken on fake and may not have been released again");
  });
});

test('close rejects a wait for several keys, and releases what it had taken', async () => {
  const bench = new Bench();
  const { locks, process, backend } = bench.fake({ attempts: [granted(), busy()] });

  await bench.run(async () => {
    const waiting = rejection(locks.acquire(KEYS));
    await process.sleep(100);
    expect(await locks.close()).toEqual({ stillHeld: [] });

    expect(await waiting).toMatchObject({ code: 'CLOSED' });
    expect(backend.times('release')).toEqual([100]);
  });
});

test('close between two keys takes no further one', async () => {
  const bench = new Bench();
  const { locks, backend } = bench.fake({ renewals: [renewed()] });
  locks.on('acquired', () => void locks.close());

  await bench.run(async () => {
    expect(await rejection(locks.acquire(KEYS))).toMatchObject({ code: 'CLOSED' });
    expect(backend.times('contend')).toHaveLength(1);
    expect(backend.times('release')).toHaveLength(1);
  });
});

function aborter(): { signal: AbortSignal; abort: () => void } {
  const controller = new AbortController();
  return { signal: controller.signal, abort: () => controller.abort('no longer wanted') };
}
