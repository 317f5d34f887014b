import { BackendUnavailableError, LockTimeoutError, OutcomeUnknownError } from '@holdfast/core';
import { validityMs } from '@holdfast/core/backend';
import { describe, expect, test } from 'vitest';
import { Bench, rejection } from './support/bench.ts';
import {
  busy,
  granted,
  grantedFor,
  late,
  refused,
  unavailable,
  unknown,
} from './support/fake-backend.ts';

function bug(): never {
  throw new Error('a bug');
}

function gaps(times: readonly number[]): number[] {
  return times.slice(1).map((time, index) => time - (times[index] ?? 0));
}

describe('when time is up', () => {
  const doubt = { kind: 'unknown', untilMs: 30_000 } as const;

  test('an unknown withdrawal makes it an OutcomeUnknownError, for any outcome before', async () => {
    for (const attempts of [[unknown, unavailable], [busy({ retryAfterMs: 10 })]]) {
      const bench = new Bench();
      const { locks } = bench.fake({ attempts, withdrawals: [doubt] });

      await bench.run(async () => {
        const error = await rejection(locks.acquire('k', { waitMs: 500 }));

        expect(error).toBeInstanceOf(OutcomeUnknownError);
        expect(error).toMatchObject({ key: 'k', backend: 'fake', untilMs: 30_000 });
      });
    }
  });

  test('a doubtful withdrawal makes one attempt on a key that is taken doubtful, and not null', async () => {
    const bench = new Bench();
    const { locks } = bench.fake({ attempts: [busy()], withdrawals: [doubt] });

    await bench.run(async () => {
      expect(await rejection(locks.tryAcquire('k'))).toBeInstanceOf(OutcomeUnknownError);
    });
  });

  test('a latest outcome `busy` makes it a LockTimeoutError', async () => {
    const bench = new Bench();
    const { locks } = bench.fake({ attempts: [unknown, unavailable, busy()] });

    await bench.run(async () => {
      const error = await rejection(locks.acquire('k', { waitMs: 1_000 }));

      expect(error).toBeInstanceOf(LockTimeoutError);
      expect(error).toMatchObject({ code: 'LOCK_TIMEOUT', key: 'k', backend: 'fake' });
    });
  });

  test.each([
    { later: unavailable, waitMs: 500 },
    { later: unknown, waitMs: 5_000 },
    { later: late(2_000, unknown), waitMs: 3_500 },
    { later: granted({ validity: { from: { monotonicMs: 0, wallMs: 0 }, ms: 1 } }), waitMs: 500 },
  ])(
    'a taken key, and then no definite reply, makes it a BackendUnavailableError: $later',
    async ({ later, waitMs }) => {
      const bench = new Bench();
      const { locks } = bench.fake({
        attempts: [busy({ holderRemainingMs: 966, retryAfterMs: 10 }), later],
      });

      await bench.run(async () => {
        const error = await rejection(locks.acquire('k', { waitMs }));

        expect(error).toBeInstanceOf(BackendUnavailableError);
      });
    },
  );

  test('an attempt that only the end of the wait cut short does not make a taken key an unavailable store', async () => {
    const bench = new Bench();
    const { locks, backend } = bench.fake({
      attempts: [busy({ retryAfterMs: 4_000 }), late(1_000, unknown)],
    });

    await bench.run(async () => {
      const error = await rejection(locks.acquire('k', { waitMs: 5_000 }));

      expect(backend.times('attempt')).toEqual([0, 4_000]);
      expect(error).toBeInstanceOf(LockTimeoutError);
    });
  });

  test.each([
    { holderRemainingMs: 9_000, left: 8_500, says: "; the holder's lease has 8500 ms left" },
    { holderRemainingMs: 500.25, left: 0.25, says: "; the holder's lease has 1 ms left" },
    { holderRemainingMs: 400, left: undefined, says: '' },
    { holderRemainingMs: undefined, left: undefined, says: '' },
  ])(
    'it reports what a holder with $holderRemainingMs ms has left now, or nothing',
    async ({ holderRemainingMs, left, says }) => {
      const bench = new Bench();
      const { locks } = bench.fake({
        attempts: [busy({ holderRemainingMs, retryAfterMs: 60_000 })],
        withdrawals: [(_, process) => process.sleep(500).then(() => ({ kind: 'clean' }) as const)],
      });

      await bench.run(async () => {
        const error = await rejection(locks.acquire('k', { waitMs: 0 }));

        expect(error).toBeInstanceOf(LockTimeoutError);
        expect(error).toMatchObject({
          holderRemainingMs: left,
          message: `could not acquire 'k' on fake within 500 ms: it is locked${says}`,
        });
      });
    },
  );

  test('what the holder has left counts from the start of the attempt, however late the reply is read', async () => {
    const bench = new Bench();
    const { locks } = bench.fake({ attempts: [late(400, busy({ holderRemainingMs: 9_000 }))] });

    await bench.run(async () => {
      const error = await rejection(locks.acquire('k', { waitMs: 0 }));

      expect(error).toMatchObject({ code: 'LOCK_TIMEOUT', holderRemainingMs: 8_600 });
    });
  });

  test('otherwise it is a BackendUnavailableError with the cause', async () => {
    const bench = new Bench();
    const { locks } = bench.fake({ attempts: [unknown, unavailable] });

    await bench.run(async () => {
      const error = await rejection(locks.acquire('k', { waitMs: 500 }));

      expect(error).toBeInstanceOf(BackendUnavailableError);
      expect(error).toMatchObject({ key: 'k', backend: 'fake', cause: unavailable.cause });
    });
  });

  test('an unknown outcome reports in whole ms how long the key may stay locked, and never too little', async () => {
    const bench = new Bench();
    const { locks } = bench.fake({
      attempts: [unknown],
      withdrawals: [{ kind: 'unknown', untilMs: 1_500.25 }],
    });

    await bench.run(async () => {
      const error = await rejection(locks.acquire('k', { waitMs: 0 }));

      expect(String(error)).toMatch(/for up to 1501 ms$/);
    });
  });

  test.each([
    { attempt: busy(), why: "could not acquire 'k' on fake within 900 ms: it is locked" },
    { attempt: unavailable, why: "fake could not serve 'k' within 900 ms: connection refused" },
  ])('it reports the duration of the wait: $why', async ({ attempt, why }) => {
    const bench = new Bench();
    const { locks } = bench.fake({ attempts: [late(900, attempt)] });

    await bench.run(async () => {
      const error = await rejection(locks.acquire('k', { waitMs: 1_000 }));

      expect(error).toMatchObject({ message: why });
    });
  });

  test('a wait of 10 s is the default', async () => {
    const bench = new Bench();
    const { locks, process } = bench.fake({ attempts: [busy({ retryAfterMs: 500 })] });

    await bench.run(async () => {
      await rejection(locks.acquire('k', { ttlMs: 100 }));

      expect(process.nowMs).toBeGreaterThan(9_900);
      expect(process.nowMs).toBeLessThanOrEqual(10_000);
    });
  });

  test('no later attempt starts with less than one call deadline left, and none outlasts the wait', async () => {
    const bench = new Bench();
    const { locks, backend } = bench.fake({ attempts: [busy({ retryAfterMs: 130 })] });

    await bench.run(async () => {
      await rejection(locks.acquire('k', { ttlMs: 5_000, waitMs: 10_000 }));

      const later = backend.calls.filter(({ what }) => what === 'attempt').slice(1);
      expect(later.length).toBeGreaterThan(50);
      expect(later.at(-1)?.atMs).toBe(9_500);
      for (const { atMs, ms } of later) expect(atMs + ms).toBeLessThanOrEqual(10_000);
    });
  });

  test('of a short wait the last attempt may take a tenth', async () => {
    const bench = new Bench();
    const { locks, backend } = bench.fake({ attempts: [busy({ retryAfterMs: 60_000 })] });

    await bench.run(async () => {
      await rejection(locks.acquire('k', { ttlMs: 30_000, waitMs: 1_000 }));

      expect(backend.times('attempt')).toEqual([0, 900]);
    });
  });

  test.each([
    { untilMs: 9_499, attempts: [0, 9_499] },
    { untilMs: 9_500, attempts: [0] },
  ])(
    'a process that was paused until $untilMs attempts once more only with over half of a call of 1,000 ms left',
    async ({ untilMs, attempts }) => {
      const bench = new Bench();
      const { locks, process, backend } = bench.fake({ attempts: [busy({ retryAfterMs: 1_000 })] });

      await bench.run(async () => {
        const waiting = rejection(locks.acquire('k', { ttlMs: 10_000, waitMs: 10_000 }));
        await process.sleep(100);
        process.pause(untilMs - 100);
        await waiting;

        expect(backend.times('attempt')).toEqual(attempts);
      });
    },
  );

  test('a process that was paused past its deadline does not attempt once more', async () => {
    const bench = new Bench();
    const { locks, process, backend } = bench.fake({ attempts: [busy({ retryAfterMs: 1_000 })] });

    await bench.run(async () => {
      const waiting = rejection(locks.acquire('k', { waitMs: 5_000 }));
      await process.sleep(100);
      process.pause(60_000);

      expect(await waiting).toBeInstanceOf(LockTimeoutError);
      expect(backend.times('attempt')).toEqual([0]);
    });
  });

  test('waitMs: 0 is one attempt, with the time of two calls', async () => {
    const bench = new Bench();
    const { locks, backend } = bench.fake({ attempts: [busy({ retryAfterMs: 1 })] });

    await bench.run(async () => {
      const error = await rejection(locks.acquire('k', { ttlMs: 5_000, waitMs: 0 }));

      expect(error).toBeInstanceOf(LockTimeoutError);
      expect(backend.times('attempt')).toHaveLength(1);
      expect(backend.calls[1]).toMatchObject({ what: 'attempt', ms: 1_000 });
    });
  });

  test('a wait without end has attempts that end', async () => {
    const bench = new Bench();
    const { locks, process, backend } = bench.fake({
      attempts: [busy({ retryAfterMs: 3_600_000 }), late(10, busy({ retryAfterMs: 1 })), granted()],
    });

    await bench.run(async () => {
      await locks.acquire('k', { ttlMs: 5_000, waitMs: Number.POSITIVE_INFINITY });

      expect(process.nowMs).toBe(3_600_011);
      for (const { what, ms } of backend.calls) expect(ms, what).toBeLessThanOrEqual(5_000);
    });
  });

  test('on a session backend no ttl is sent, and an attempt takes half a minute at most', async () => {
    const bench = new Bench();
    const { locks, backend } = bench.fake({ capabilities: { lease: 'session' } });

    await bench.run(async () => {
      await locks.acquire('k', { waitMs: Number.POSITIVE_INFINITY });

      expect(backend.calls[0]?.request).not.toHaveProperty('ttlMs');
      expect(backend.calls[1]).toMatchObject({ what: 'attempt', ms: 30_000 });
    });
  });
});

describe('a useless grant', () => {
  const tooLate = { from: { monotonicMs: 0, wallMs: 0 }, ms: 100 };

  test('is released, reported as an orphan, and followed by an attempt of a new contender', async () => {
    const bench = new Bench();
    const { locks, backend } = bench.fake({
      attempts: [granted({ validity: tooLate }), granted()],
    });

    await bench.run(async () => {
      const lease = await locks.acquire('k');

      expect(lease.remainingMs()).toBe(validityMs(30_000));
      expect(backend.times('release')).toEqual([0]);
      const ids = backend.calls.filter(({ what }) => what === 'contend').map((c) => c.contender);
      expect(new Set(ids).size).toBe(2);
      expect(bench.reported('orphan')).toMatchObject([
        { key: 'k', reason: 'late', outcome: 'released', contender: ids[0] },
      ]);
      expect(bench.reported('acquired')).toMatchObject([{ contender: ids[1], attempts: 2 }]);
    });
  });

  test.each([
    { leftMs: 2_999, use: false },
    { leftMs: 3_000, use: true },
  ])('has less than a tenth of its ttl left: $leftMs of 30,000 ms', async ({ leftMs, use }) => {
    const bench = new Bench();
    const { locks } = bench.fake({ attempts: [grantedFor(leftMs), busy()] });

    await bench.run(async () => {
      const lease = await locks.acquire('k', { waitMs: 500 }).catch(() => undefined);

      expect(lease !== undefined).toBe(use);
    });
  });

  test('is followed by a back-off, twice as long each time', async () => {
    const bench = new Bench();
    const { locks, backend } = bench.fake({ attempts: [granted({ validity: tooLate })] });

    await bench.run(async () => {
      await rejection(locks.acquire('k', { waitMs: 5_000 }));

      const pauses = gaps(backend.times('attempt')).slice(0, 6);
      for (const [index, pause] of pauses.entries()) {
        expect(pause).toBeGreaterThanOrEqual((50 * 2 ** index) / 2);
        expect(pause).toBeLessThanOrEqual(50 * 2 ** index + 0.001);
      }
      expect(pauses).toHaveLength(6);
    });
  });

  test('counts as a failed attempt', async () => {
    const bench = new Bench();
    const { locks } = bench.fake({ attempts: [granted({ validity: tooLate })] });

    await bench.run(async () => {
      const error = await rejection(locks.tryAcquire('k'));

      expect(error).toBeInstanceOf(BackendUnavailableError);
      expect(String(error)).toContain('too late');
    });
  });
});

describe('a backend that misbehaves', () => {
  test('refuses permanently with its own error, once the contender has withdrawn', async () => {
    const bench = new Bench();
    const { locks, backend } = bench.fake({ attempts: [refused] });

    await bench.run(async () => {
      expect(await rejection(locks.acquire('k'))).toBe(refused.error);
      expect(backend.times('attempt')).toHaveLength(1);
      expect(backend.times('withdraw')).toHaveLength(1);
    });
  });

  test('throws in attempt and withdraw: that is doubt', async () => {
    const bench = new Bench();
    const { locks } = bench.fake({ attempts: [bug], withdrawals: [bug] });

    await bench.run(async () => {
      const error = await rejection(locks.acquire('k', { ttlMs: 5_000, waitMs: 300 }));

      expect(error).toBeInstanceOf(OutcomeUnknownError);
      expect(error).toMatchObject({ untilMs: 5_000, cause: new Error('a bug') });
    });
  });

  test('breaks its contract: one caller is in doubt, the next one is not held up', async () => {
    const bench = new Bench();
    const { locks, backend } = bench.fake();
    const contend = backend.contend.bind(backend);
    backend.contend = (request) => {
      backend.contend = contend;
      throw new Error(`a bug, met by ${request.key}`);
    };

    await bench.run(async () => {
      const first = rejection(locks.acquire('k'));
      const second = locks.acquire('k');

      const error = await first;
      expect(error).toBeInstanceOf(OutcomeUnknownError);
      expect(error).toMatchObject({ cause: new Error('a bug, met by k') });
      expect((await second).state).toBe('held');
    });
  });

  test('breaks its contract after a grant that came too late: that is doubt, too', async () => {
    const bench = new Bench();
    const { locks, backend } = bench.fake({ attempts: [grantedFor(1), granted()] });
    const contend = backend.contend.bind(backend);
    backend.contend = (request) =>
      backend.times('contend').length === 1 ? bug() : contend(request);

    await bench.run(async () => {
      const first = rejection(locks.acquire('k'));
      const second = rejection(locks.acquire('k'));

      for (const error of await Promise.all([first, second])) {
        expect(error).toBeInstanceOf(OutcomeUnknownError);
        expect(error).toMatchObject({ cause: new Error('a bug') });
      }
    });
  });

  test('a backend that breaks its contract is named, with the key', async () => {
    const bench = new Bench();
    const { locks, backend } = bench.fake();
    backend.contend = () => {
      throw new Error('it breaks');
    };

    await bench.run(async () => {
      const error = await rejection(locks.acquire('orders/42', { ttlMs: 5_000 }));
      expect(error).toBeInstanceOf(OutcomeUnknownError);
      expect(error).toMatchObject({ key: 'orders/42', backend: 'fake', untilMs: 5_000 });
    });
  });
});
