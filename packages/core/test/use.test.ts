import { LockLostError, LockTimeoutError } from '@holdfast/core';
import { expect, test } from 'vitest';
import { Bench, rejection } from './support/bench.ts';
import { busy, late, renewed, unknown } from './support/fake-backend.ts';

const brokenRelease = (): never => {
  throw new Error('connection reset');
};

test('runs the body under the lease, releases, and returns what the body returned', async () => {
  const bench = new Bench();
  const { locks, process, backend } = bench.fake();

  await bench.run(async () => {
    const value = await locks.use('k', async (lease) => {
      await process.sleep(100);
      return `${lease.key} ${lease.state} ${lease.fencingToken} ${lease.signal.aborted}`;
    });

    expect(value).toBe('k held 1 false');
    expect(backend.times('release')).toEqual([100]);
  });
});

test('takes a body that is not asynchronous', async () => {
  const bench = new Bench();
  const { locks } = bench.fake();

  await bench.run(async () => {
    expect(await locks.use('k', () => 42)).toBe(42);
    expect(
      await rejection(
        locks.use('k', () => {
          throw new Error('boom');
        }),
      ),
    ).toEqual(new Error('boom'));
  });
});

test('rejects as acquire does without a grant, and never runs the body', async () => {
  const bench = new Bench();
  const { locks } = bench.fake({ attempts: [busy()] });
  let ran = false;

  await bench.run(async () => {
    const error = await rejection(locks.use('k', () => (ran = true), { waitMs: 0 }));

    expect(error).toBeInstanceOf(LockTimeoutError);
    expect(ran).toBe(false);
  });
});

test.each([
  { how: 'the release fails', plan: { releases: [brokenRelease] } },
  { how: 'the release finds nothing', plan: { releases: [{ kind: 'not-held' }] } },
  { how: 'the lock was lost meanwhile', plan: { renewals: [{ kind: 'lost' }] } },
] as const)("the body's own error wins, also when $how", async ({ plan }) => {
  const bench = new Bench();
  const { locks, process } = bench.fake(plan);
  const own = new Error('the card was declined');

  await bench.run(async () => {
    const used = locks.use('k', () => process.sleep(2_000).then(() => Promise.reject(own)), {
      ttlMs: 3_000,
    });

    expect(await rejection(used)).toBe(own);
  });
});

test.each([
  { how: 'a renewal learnt of it', plan: { renewals: [{ kind: 'lost' }] }, ttlMs: 3_000 },
  { how: 'its time ran out', plan: { renewals: [unknown] }, ttlMs: 1_000 },
  {
    how: 'only the release learnt of it',
    plan: { releases: [{ kind: 'not-held' }] },
    ttlMs: 60_000,
  },
] as const)(
  'a loss under a body that succeeded rejects with its result: $how',
  async ({ plan, ttlMs }) => {
    const bench = new Bench();
    const { locks, process } = bench.fake(plan);

    await bench.run(async () => {
      const used = locks.use('k', () => process.sleep(2_000).then(() => 'receipt 7'), { ttlMs });
      const error = await rejection(used);

      expect(error).toBeInstanceOf(LockLostError);
      expect(error).toMatchObject({ key: 'k', backend: 'fake', result: 'receipt 7' });
      expect(String(error)).toContain('was lost');
    });
  },
);

test('a doubtful release is no loss', async () => {
  const bench = new Bench();
  const { locks } = bench.fake({ releases: [brokenRelease] });

  await bench.run(async () => {
    expect(await locks.use('k', () => 'done')).toBe('done');
    expect(bench.reported('released')).toMatchObject([{ outcome: 'unknown' }]);
  });
});

test.each([
  [null, 'null'],
  [undefined, 'undefined'],
  ['work', 'string'],
])('a body that is %j is rejected before anything is sent', async (body, shown) => {
  const bench = new Bench();
  const { locks, backend } = bench.fake();

  await bench.run(async () => {
    const error = await rejection(locks.use('k', body as never));

    expect(error).toMatchObject({
      code: 'INVALID_OPTION',
      message: `the body of use, tryUse and elect must be a function, not ${shown}`,
      key: 'k',
      backend: 'fake',
    });
    expect(backend.calls).toEqual([]);
  });
});

test('options before the body are refused with the order, before anything is sent', async () => {
  const bench = new Bench();
  const { locks, backend } = bench.fake();
  const swapped = [{ ttlMs: 500 } as never, (() => 1) as never] as const;
  const calls = [
    () => locks.use('k', ...swapped),
    () => locks.tryUse('k', ...swapped),
    () => locks.for('k').use(...swapped),
    () => locks.for('k').tryUse(...swapped),
  ];

  await bench.run(async () => {
    for (const call of calls)
      expect(await rejection(call())).toMatchObject({
        code: 'INVALID_OPTION',
        message: 'use, tryUse and elect take the body before the options: use(key, body, options)',
      });
    expect(backend.calls).toEqual([]);
  });
});

test('a body that releases by itself is fine', async () => {
  const bench = new Bench();
  const { locks, backend } = bench.fake();

  await bench.run(async () => {
    expect(await locks.use('k', (lease) => lease.release())).toEqual({ kind: 'released' });
    expect(backend.times('release')).toHaveLength(1);
  });
});

test('the body learns of a loss through the signal while it runs', async () => {
  const bench = new Bench();
  const { locks, process } = bench.fake({ renewals: [{ kind: 'lost' }] });

  await bench.run(async () => {
    let heardMs = 0;
    const used = locks.use(
      'k',
      async ({ signal }) => {
        signal.addEventListener('abort', () => (heardMs = process.nowMs));
        await process.sleep(5_000);
      },
      { ttlMs: 3_000 },
    );

    expect(await rejection(used)).toMatchObject({ code: 'LOCK_LOST' });
    expect(heardMs).toBe(1_000);
  });
});

test('a lock bound to a key and options runs a body, too, and options of the call are added', async () => {
  const bench = new Bench();
  const { locks, backend } = bench.fake();
  const lock = locks.for('k', { ttlMs: 5_000, waitMs: 1 });

  await bench.run(async () => {
    await lock.use((lease) => expect(lease.key).toBe(lock.key));
    await lock.use(() => {}, { ttlMs: 7_000 });
    await lock.use(() => {}, { ttlMs: undefined });
    await (await lock.acquire())[Symbol.asyncDispose]();
    await (await lock.tryAcquire())?.release();
    await lock.tryUse(() => {});

    const ttls = backend.calls
      .filter(({ what }) => what === 'contend')
      .map(({ request }) => request.ttlMs);
    expect(ttls).toEqual([5_000, 7_000, 5_000, 5_000, 5_000, 5_000]);
  });
});

test('what is held while the body runs is renewed', async () => {
  const bench = new Bench();
  const { locks, process } = bench.fake({ renewals: [late(20, renewed())] });

  await bench.run(async () => {
    const used = locks.use('k', (lease) => process.sleep(60_000).then(() => lease.state), {
      ttlMs: 1_000,
    });

    expect(await used).toBe('held');
  });
});

test('a failed job has released its key before its caller is rejected', async () => {
  const bench = new Bench();
  const { locks, process } = bench.fake({ releases: [late(50, { kind: 'released' })] });

  await bench.run(async () => {
    const from = process.nowMs;
    await rejection(locks.use('k', () => Promise.reject(new Error('the job'))));
    expect(process.nowMs - from).toBe(50);
  });
});
