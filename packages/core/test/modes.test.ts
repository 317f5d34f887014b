import { createHost, createLocks } from '@holdfast/core/backend';
import { describe, expect, test } from 'vitest';
import { Bench, rejection } from './support/bench.ts';

describe('locks without modes', () => {
  test('refuse readers, writers and semaphores before anything is sent, naming key and backend', async () => {
    const bench = new Bench();
    const { locks, backend } = bench.fake();
    const details = { code: 'CAPABILITY', key: 'k', backend: backend.name };

    for (const call of [
      () => locks.read('k'),
      () => locks.write('k'),
      () => locks.semaphore('k', 2),
    ])
      expect(call).toThrow(expect.objectContaining(details));
    for (const require of [['shared'], ['permits']] as const)
      expect(() => createLocks(backend, createHost(), { require })).toThrow(require[0]);
    expect(backend.calls).toEqual([]);
  });

  test('leave a lease as it is that was to become a reader', async () => {
    const bench = new Bench();
    const { locks, backend } = bench.fake({ adopts: true });

    await bench.run(async () => {
      const lease = await locks.acquire('k');
      const error = await rejection(locks.downgrade(lease));

      expect(error).toMatchObject({ code: 'CAPABILITY', key: 'k', backend: 'fake' });
      expect(String(error)).toContain('no readers and writers');
      expect(lease.state).toBe('held');
      expect(backend.times('renew')).toEqual([]);
    });
  });
});

describe('readers and writers', () => {
  test('of one process read beside each other, and a writer has its turn between', async () => {
    const bench = new Bench();
    const { locks, process } = await bench.open('a', {}, 5);
    const order: string[] = [];

    await bench.run(async () => {
      const read = locks.read('k');
      const readers = await Promise.all([read.acquire(), read.acquire(), read.acquire()]);
      const writing = locks.write('k').use(() => void order.push('writer'));
      await process.sleep(50);
      const reading = read.use(() => void order.push('reader'));
      expect(await read.tryAcquire()).toBeNull();
      await Promise.all(readers.map((lease) => lease.release()));
      await Promise.all([writing, reading]);
      expect(order).toEqual(['writer', 'reader']);
    });
    expect(bench.store.inspect('k')).toBeUndefined();
  });

  test('that attempt once read beside each other, and write alone', async () => {
    const bench = new Bench();
    const { locks } = await bench.open('a');

    await bench.run(async () => {
      const reader = await locks.read('k').tryAcquire();
      expect(reader?.state).toBe('held');
      expect(await locks.read('k').tryUse(() => 7)).toEqual({ ran: true, value: 7 });
      expect(await locks.write('k').tryUse(() => 7)).toEqual({ ran: false });
      await reader?.release();
    });
  });

  test('of a key that is none are refused when they are made', async () => {
    const { locks } = await new Bench().open('a');
    const wrong = expect.objectContaining({ code: 'INVALID_KEY', key: '', backend: 'memory' });

    expect(() => locks.read('')).toThrow(wrong);
    expect(() => locks.write('')).toThrow(wrong);
  });

  test('hand the key over by a notification, not by a poll', async () => {
    const bench = new Bench();
    const a = await bench.open('a', {}, 5);
    const b = await bench.open('b', {}, 5);

    await bench.run(async () => {
      const lease = await a.locks.write('k').acquire();
      const waiting = [b.locks.read('k').acquire(), b.locks.read('k').acquire()];
      await a.process.sleep(7_100);
      const releasedMs = bench.world.nowMs;
      await lease.release();
      const readers = await Promise.all(waiting);
      expect(bench.world.nowMs - releasedMs).toBe(20);
      await Promise.all(readers.map((reader) => reader.release()));
    });
  });

  test('are granted after a crash: of a reader after its ttl, of a waiting writer sooner', async () => {
    const bench = new Bench();
    const [a, b, c] = await Promise.all(['a', 'b', 'c'].map((name) => bench.open(name, {}, 5)));
    if (a === undefined || b === undefined || c === undefined) throw new Error('three processes');

    await bench.run(async () => {
      const reader = await a.locks.read('k').acquire();
      void b.locks
        .write('k')
        .acquire()
        .catch(() => {});
      await c.process.sleep(100);
      b.process.crash();
      const beside = await c.locks.read('k').acquire();
      expect(bench.world.nowMs).toBeLessThan(5_000);
      await beside.release();

      a.process.crash();
      const fromMs = bench.world.nowMs;
      const writer = await c.locks.write('k').acquire({ waitMs: 60_000 });
      expect(bench.world.nowMs - fromMs).toBeLessThan(30_100);
      expect(writer.fencingToken).toBeGreaterThan(reader.fencingToken ?? 0n);
    });
  });

  test('a writer becomes a reader while another writer waits, and its old lease is over', async () => {
    const bench = new Bench();
    const a = await bench.open('a', {}, 5);
    const b = await bench.open('b', {}, 5);

    await bench.run(async () => {
      const writing = await a.locks.write('k').acquire();
      const next = b.locks.write('k').acquire();
      await b.process.sleep(100);
      const reading = await a.locks.downgrade(writing);

      expect([writing.state, reading.state]).toEqual(['released', 'held']);
      expect(reading.fencingToken).toBeGreaterThan(writing.fencingToken ?? 0n);
      const error = await rejection(a.locks.downgrade(reading));
      expect(error).toMatchObject({ code: 'CAPABILITY' });
      await b.process.sleep(1_000);
      await reading.release();
      expect((await next).state).toBe('held');
    });
  });

  test('a writer that became a reader keeps what was left of its maxHoldMs, and is not renewed if it was not', async () => {
    const bench = new Bench();
    const { locks, process } = await bench.open('a');

    await bench.run(async () => {
      const capped = await locks.write('k').acquire({ maxHoldMs: 8_000 });
      await process.sleep(5_000);
      const reading = await locks.downgrade(capped);
      await process.sleep(2_500);
      expect(reading.state).toBe('held');
      await process.sleep(600);
      expect(reading.state).toBe('lost');

      const fixed = await locks.write('l').acquire({ ttlMs: 1_000, renew: false });
      const fixedReading = await locks.downgrade(fixed);
      await process.sleep(1_001);
      expect(fixedReading.state).toBe('lost');
    });
  });

  test('three thousand waiters behind one writer all get their turn, within a few attempts each', async () => {
    const bench = new Bench({ trace: false });
    const { locks } = await bench.open('a');

    await bench.run(async () => {
      const writer = await locks.write('k').acquire();
      const crowd = Array.from({ length: 3_000 }, (_, i) =>
        (i % 100 === 99 ? locks.write('k') : locks.read('k')).use(() => i, { waitMs: 60_000 }),
      );
      await writer.release();
      expect(await Promise.all(crowd)).toHaveLength(3_000);
      const attempts = bench.reported('acquired').map((event) => event.attempts);
      expect(Math.max(...attempts)).toBeLessThanOrEqual(4);
    });
  });
});

describe('a semaphore', () => {
  test('never has more holders than permits, and whoever wants many gets a turn', async () => {
    const bench = new Bench();
    const { locks, process } = await bench.open('a', {}, 5);
    const semaphore = locks.semaphore('k', 3);
    let inside = 0;
    let most = 0;
    const work = (permits: number) => async (): Promise<void> => {
      inside += permits;
      most = Math.max(most, inside);
      await process.sleep(20);
      inside -= permits;
    };

    await bench.run(async () => {
      const few = Array.from({ length: 30 }, () => semaphore.use(work(1)));
      const many = Array.from({ length: 5 }, () => semaphore.take(3).use(work(3)));
      await Promise.all([...few, ...many]);
    });
    expect(most).toBe(3);
  });

  test('refuses numbers of permits that make no sense, before anything is sent', async () => {
    const bench = new Bench();
    const { locks } = await bench.open('a');
    const semaphore = locks.semaphore('k', 3);
    const wrong = { code: 'INVALID_OPTION', key: 'k', backend: 'memory' };

    for (const permits of [0, -1, 1.5, Number.NaN, 1_000_001, Number.POSITIVE_INFINITY])
      expect(() => locks.semaphore('k', permits)).toThrow(expect.objectContaining(wrong));
    for (const count of [0, -1, 1.5, 4]) {
      expect(await rejection(semaphore.acquire(count))).toMatchObject(wrong);
      expect(() => semaphore.take(count)).toThrow(expect.objectContaining(wrong));
    }
    await bench.run(async () => {});
  });

  test('has no tokens, and is refused where the code requires them', async () => {
    const bench = new Bench();
    const { locks } = await bench.open('a');
    const strict = await bench.open('b', { require: ['fencing'] });

    expect(() => strict.locks.semaphore('k', 2)).toThrow('no fencing tokens');
    await bench.run(async () => {
      const lease = await locks.semaphore('k', 2).acquire();
      expect(lease.fencingToken).toBeUndefined();
      expect(await rejection(lease.release().then(() => lease.export()))).toBeDefined();
    });
  });

  test('of two sizes counts by the smaller one, and says so once for each contender', async () => {
    const bench = new Bench();
    const { locks, process } = await bench.open('a');

    await bench.run(async () => {
      const small = await locks.semaphore('k', 1).acquire();
      const waiting = locks.semaphore('k', 4).acquire();
      await process.sleep(5_000);
      expect(bench.reported('warning')).toMatchObject([{ code: 'PERMITS_DIFFER', key: 'k' }]);
      await small.release();
      await waiting.then((lease) => lease.release());
    });
  });

  test('is refused for a key that readers hold, which stays as it is', async () => {
    const bench = new Bench();
    const { locks } = await bench.open('a');

    await bench.run(async () => {
      const reader = await locks.read('k').acquire();
      const error = await rejection(locks.semaphore('k', 4).acquire());
      expect(error).toMatchObject({ code: 'OTHER_MODE', key: 'k', backend: 'memory' });
      expect(await reader.release()).toEqual({ kind: 'released' });
    });
  });

  test('that was released by force lets all holders know at their next renewal', async () => {
    const bench = new Bench();
    const { locks, process } = await bench.open('a');

    await bench.run(async () => {
      const semaphore = locks.semaphore('k', 2);
      const leases = [await semaphore.acquire(), await semaphore.acquire()];
      expect(await locks.inspect('k')).toMatchObject({ held: true, holder: 'holders of permits' });
      await locks.forceRelease('k');
      const next = await semaphore.acquire();
      await process.sleep(10_001);
      expect(leases.map(({ state }) => state)).toEqual(['lost', 'lost']);
      expect(next.state).toBe('held');
    });
  });
});
