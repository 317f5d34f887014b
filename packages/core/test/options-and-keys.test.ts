import { type AcquireOptions, InvalidKeyError, InvalidOptionError } from '@holdfast/core';
import { checkKey, cleanLabel, createHost, ownerValue, parseOwner } from '@holdfast/core/backend';
import { describe, expect, test } from 'vitest';
import { createLocks } from '../src/locks.ts';
import { Bench, rejection } from './support/bench.ts';
import { busy } from './support/fake-backend.ts';

describe('a key', () => {
  test.each([
    'k',
    'orders/42',
    'a:b{c}d e',
    'ключ',
    '🔑',
    '\u00a0',
    'x'.repeat(512),
    '🔑'.repeat(128),
  ])('may be %s', (key) => {
    expect(() => checkKey(key, 'b')).not.toThrow();
  });

  test.each([
    ['', 'is empty'],
    ['x'.repeat(513), 'has 513 UTF-8 bytes'],
    ['ы'.repeat(257), 'has 514 UTF-8 bytes'],
    ['a\nb', 'control character'],
    ['a\u0000', 'control character'],
    ['a\u0085', 'control character'],
    ['a\ud800', 'lone surrogate'],
    [42, 'is not a string'],
    [undefined, 'is not a string'],
  ])('may not be %j, which %s', (key, why) => {
    expect(() => checkKey(key, 'redis-simple')).toThrow(InvalidKeyError);
    expect(() => checkKey(key, 'redis-simple')).toThrow(why);
  });

  test('that is wrong is refused by every call, before anything is sent', async () => {
    const bench = new Bench();
    const { locks, backend } = bench.fake();

    await bench.run(async () => {
      const calls = [
        locks.acquire(''),
        locks.tryAcquire(''),
        locks.use('', () => 1),
        locks.tryUse('', () => 1),
        locks.inspect(''),
        locks.forceRelease(''),
      ];
      for (const call of calls) {
        const error = await rejection(call);
        expect(error).toBeInstanceOf(InvalidKeyError);
        expect(error).toMatchObject({ code: 'INVALID_KEY', key: '', backend: 'fake' });
      }
      expect(() => locks.for('')).toThrow(InvalidKeyError);
      expect(backend.calls).toEqual([]);
    });
  });
});

describe('an option', () => {
  test.each([
    [{ ttlms: 5_000 }, /unknown option 'ttlms'.*ttlMs/],
    [{ ttlMs: 99 }, /ttlMs must be a whole number of ms from 100 to 86400000, not 99/],
    [{ ttlMs: 86_400_001 }, /ttlMs/],
    [{ ttlMs: 1_000.5 }, /ttlMs/],
    [{ ttlMs: '5s' }, /ttlMs .* not "5s"/],
    [{ ttlMs: null }, /ttlMs .* not null/],
    [{ waitMs: -1 }, /waitMs .*, or Infinity, not -1/],
    [{ waitMs: Number.NaN }, /waitMs .* not NaN/],
    [{ maxHoldMs: 0 }, /maxHoldMs/],
    [{ renew: 'no' }, /renew must be true or false/],
    [{ signal: {} }, /signal must be an AbortSignal, not an object/],
    [42, /options must be an object, not 42/],
    [null, /options must be an object, not null/],
  ])('%j is refused before anything is sent', async (options, why) => {
    const bench = new Bench();
    const { locks, backend } = bench.fake();

    await bench.run(async () => {
      // @ts-expect-error -- what code without types may pass
      const error = await rejection(locks.acquire('k', options));

      expect(error).toBeInstanceOf(InvalidOptionError);
      expect(error).toMatchObject({ code: 'INVALID_OPTION', key: 'k', backend: 'fake' });
      expect(String(error)).toMatch(why);
      // @ts-expect-error -- as above
      expect(await rejection(locks.for('k').acquire(options))).toBeInstanceOf(InvalidOptionError);
      expect(backend.calls).toEqual([]);
    });
  });

  test.each([
    { ttlMs: 100, waitMs: 0 },
    { ttlMs: 86_400_000, waitMs: Number.POSITIVE_INFINITY },
    {
      ttlMs: undefined,
      waitMs: undefined,
      renew: undefined,
      maxHoldMs: undefined,
      signal: undefined,
    },
    { renew: false, maxHoldMs: Number.MAX_SAFE_INTEGER },
  ])('%j is taken', async (options) => {
    const bench = new Bench();
    const { locks } = bench.fake();

    await bench.run(async () => {
      expect((await locks.acquire('k', options)).state).toBe('held');
    });
  });

  test('of a single attempt is not waitMs', async () => {
    const bench = new Bench();
    const { locks } = bench.fake();

    await bench.run(async () => {
      // @ts-expect-error -- there is nothing to wait for
      expect(await rejection(locks.tryAcquire('k', { waitMs: 5 }))).toBeInstanceOf(
        InvalidOptionError,
      );
    });
  });

  test('can be set for all calls, and overridden by each', async () => {
    const bench = new Bench();
    const { locks, backend } = bench.fake({}, { ttlMs: 5_000, renew: false, waitMs: 0 });

    await bench.run(async () => {
      await locks.acquire('k');
      await locks.acquire('l', { ttlMs: 6_000 });

      const contended = backend.calls.filter(({ what }) => what === 'contend');
      expect(contended.map(({ request }) => request.ttlMs)).toEqual([5_000, 6_000]);
      await rejection(locks.acquire('k'));
      await bench.world.advance(6_000);
      expect(backend.times('renew')).toEqual([]);
    });
  });

  class Patience {
    readonly #ms: number;
    constructor(ms: number) {
      this.#ms = ms;
    }
    get waitMs(): number {
      return this.#ms;
    }
  }

  test('that throws when it is read rejects the call, which never throws itself', async () => {
    const bench = new Bench();
    const { locks } = bench.fake();
    const unreadable = new Error('not now');
    const options: AcquireOptions = {
      get ttlMs(): number {
        throw unreadable;
      },
    };

    await bench.run(async () => {
      const lock = locks.for('k');
      expect(await rejection(locks.acquire('k', options))).toBe(unreadable);
      expect(await rejection(lock.acquire(options))).toBe(unreadable);
      expect(await rejection(lock.tryUse(() => undefined, options))).toBe(unreadable);
    });
  });

  test.each([
    ['of a shared object', Object.create({ waitMs: Number.NaN })],
    ['of a class', new Patience(Number.NaN)],
  ])('%s is checked like any other', async (_, options: AcquireOptions) => {
    const bench = new Bench();
    const { locks, backend } = bench.fake();

    await bench.run(async () => {
      const lock = locks.for('k');
      for (const waiting of [locks.acquire('k', options), lock.acquire(options)])
        expect(await rejection(waiting)).toMatchObject({
          name: 'InvalidOptionError',
          message: expect.stringContaining('waitMs'),
        });
      expect(() => locks.for('k', options)).toThrow(InvalidOptionError);
      expect(() => createLocks(backend, createHost(), options)).toThrow(InvalidOptionError);
      expect(backend.calls).toEqual([]);
    });
  });

  test('of a shared object or of a class counts, wherever it is passed', async () => {
    const bench = new Bench();
    const { locks, backend, process } = bench.fake({ attempts: [busy()] });
    const brief: AcquireOptions = new Patience(0);
    const shared: AcquireOptions = Object.create({ waitMs: 0 });

    await bench.run(async () => {
      await rejection(locks.acquire('k', brief));
      await rejection(locks.acquire('k', shared));
      await rejection(locks.for('k').acquire(brief));
      await rejection(locks.for('k', shared).acquire());
      await rejection(
        createLocks(backend, createHost({ runtime: process.runtime }), brief).acquire('k'),
      );

      expect(backend.times('attempt')).toEqual([0, 0, 0, 0, 0]);
    });
  });

  test('is read once, so that it is what was checked', async () => {
    const bench = new Bench();
    const { locks, backend } = bench.fake({ attempts: [busy()] });
    let reads = 0;
    const options = {
      get waitMs() {
        return reads++ === 0 ? 0 : Number.NaN;
      },
    };

    await bench.run(async () => {
      await rejection(locks.acquire('k', options));

      expect(backend.times('attempt')).toHaveLength(1);
    });
  });

  test('for all calls may be a cap on every hold', async () => {
    const bench = new Bench();
    const { locks, process } = bench.fake({}, { ttlMs: 3_000, maxHoldMs: 5_000 });

    await bench.run(async () => {
      const capped = await locks.acquire('k');
      const longer = await locks.acquire('l', { maxHoldMs: 10_000 });
      await process.sleep(6_000);

      expect(capped.state).toBe('lost');
      expect(longer.state).toBe('held');
    });
  });

  test('for all calls is checked when locks are made', () => {
    const { backend } = new Bench().fake();

    // @ts-expect-error -- misspelt
    expect(() => createLocks(backend, createHost(), { tllMs: 5_000 })).toThrow(InvalidOptionError);
    expect(() => createLocks(backend, createHost(), { ttlMs: 5 })).toThrow(InvalidOptionError);
    expect(() => createLocks(backend, createHost(), { ttlMs: 5 })).toThrow(
      expect.objectContaining({ backend: 'fake' }),
    );
  });
});

describe('an owner value', () => {
  test('is parsed as it was written, for any label', () => {
    const owner = { contender: 'c0ffee', n: 12, label: 'host:1:2\n' };

    expect(ownerValue(owner)).toBe('c0ffee:12:host:1:2\n');
    expect(parseOwner(ownerValue(owner))).toEqual(owner);
  });

  test.each(['', 'lock', 'a:b:c', ':1:x', 'a:1'])('is not %j, a foreign value', (value) => {
    expect(parseOwner(value)).toBeUndefined();
  });

  test('has a label without control characters, of at most 64 bytes, cut between characters', () => {
    expect(cleanLabel('a\nb\ud800')).toBe('a b ');
    expect(cleanLabel('é'.repeat(40))).toBe('é'.repeat(32));
    expect(cleanLabel(`x${'é'.repeat(40)}`)).toBe(`x${'é'.repeat(31)}`);
  });

  test('has a label without any part of an earlier one', () => {
    const cut = `x${'é'.repeat(40)}`;

    expect(cleanLabel(cut)).toBe(cleanLabel(cut));
    expect(cleanLabel('y'.repeat(65))).toBe('y'.repeat(64));
  });

  test.each(['garbled \uFFFD', `${'x'.repeat(61)}\uFFFD`])(
    'has the label %j unchanged, since it is short enough',
    (label) => {
      expect(cleanLabel(label)).toBe(label);
    },
  );
});

describe('a lock that is bound to a key', () => {
  test('rejects an unknown option, and names the key', () => {
    const { locks } = new Bench().fake();
    const options: object = { ttl: 5 };

    expect(() => locks.for('orders/42', options)).toThrow(InvalidOptionError);
    expect(() => locks.for('orders/42', options)).toThrow(
      expect.objectContaining({ key: 'orders/42', backend: 'fake' }),
    );
  });
});
