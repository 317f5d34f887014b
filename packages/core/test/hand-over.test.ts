import {
  CapabilityError,
  InvalidOptionError,
  LockLostError,
  LockTimeoutError,
  OutcomeUnknownError,
} from '@holdfast/core';
import { validityMs } from '@holdfast/core/backend';
import { describe, expect, test } from 'vitest';
import { Bench, rejection } from './support/bench.ts';
import { grantedFixed, late, renewed, unknown } from './support/fake-backend.ts';

const TTL_MS = 3_000;

function textOf(value: unknown): string {
  return `holdfast-lease:1:${Buffer.from(JSON.stringify(value)).toString('base64url')}`;
}

describe('an export', () => {
  test('renews once, ends the handle and releases nothing', async () => {
    const bench = new Bench();
    const { locks, process } = await bench.open('web');

    await bench.run(async () => {
      const lease = await locks.acquire('k', { ttlMs: TTL_MS });
      const { signal } = lease;
      await process.sleep(900);
      await lease.export();

      expect(bench.store.inspect('k')).toMatchObject({ owner: lease.owner, remainingMs: TTL_MS });
      expect(lease.state).toBe('released');
      expect(lease.remainingMs()).toBe(0);
      expect(() => lease.assertHeld()).toThrow("the lock on 'k' has been exported");
      expect(await lease.release()).toEqual({ kind: 'not-held' });
      expect(bench.store.inspect('k')?.owner).toBe(lease.owner);

      await process.sleep(TTL_MS);
      expect(signal.aborted).toBe(false);
      expect(bench.types).toEqual(['acquired', 'renewed', 'exported']);
      expect(bench.reported('exported')).toMatchObject([{ key: 'k', heldMs: 900 }]);
    });
  });

  test('contains no time, and starts with its version', async () => {
    const bench = new Bench();
    const { locks } = await bench.open('web');

    await bench.run(async () => {
      const text = await (await locks.acquire('k', { ttlMs: TTL_MS })).export();

      const [, body = ''] = /^holdfast-lease:1:([\w-]+)$/.exec(text) ?? [];
      const { owner, ...rest } = JSON.parse(Buffer.from(body, 'base64url').toString());
      expect(owner).toBe(bench.store.inspect('k')?.owner);
      expect(rest).toEqual({ key: 'k', backend: 'memory', ttlMs: TTL_MS });
    });
  });

  test('of a lease that the store has lost is a loss', async () => {
    const bench = new Bench();
    const { locks } = await bench.open('web');

    await bench.run(async () => {
      const lease = await locks.acquire('k');
      bench.store.force('k');

      await expect(lease.export()).rejects.toThrow(LockLostError);
      expect(lease.state).toBe('lost');
      await expect(lease.export()).rejects.toThrow(LockLostError);
    });
  });

  test('whose renewal has no reply leaves the lease as it is', async () => {
    const bench = new Bench();
    const { locks, backend } = bench.fake({ adopts: true, renewals: [unknown, renewed()] });

    await bench.run(async () => {
      const lease = await locks.acquire('k');

      await expect(lease.export()).rejects.toThrow(OutcomeUnknownError);
      expect(lease.state).toBe('held');
      expect(await lease.export()).toMatch(/^holdfast-lease:1:/);
      expect(backend.times('release')).toEqual([]);
    });
  });

  test('whose renewal comes after the end of the lease is a loss', async () => {
    const bench = new Bench();
    const { locks } = bench.fake({ adopts: true, renewals: [late(TTL_MS, renewed())] });

    await bench.run(async () => {
      const lease = await locks.acquire('k', { ttlMs: TTL_MS });

      await expect(lease.export()).rejects.toThrow(LockLostError);
    });
  });

  test('happens once, however often it is called at a time', async () => {
    const bench = new Bench();
    const { locks } = await bench.open('web', {}, 5);

    await bench.run(async () => {
      const lease = await locks.acquire('k');
      const [first, second] = await Promise.allSettled([lease.export(), lease.export()]);

      expect(first.status).toBe('fulfilled');
      expect(second).toMatchObject({ status: 'rejected', reason: { code: 'LOCK_LOST' } });
      expect(bench.reported('exported')).toHaveLength(1);
    });
  });

  test('renews a lease that is not renewed by itself', async () => {
    const bench = new Bench();
    const { locks, process } = await bench.open('web');

    await bench.run(async () => {
      const lease = await locks.acquire('k', { ttlMs: TTL_MS, renew: false });
      await process.sleep(2_000);
      await lease.export();

      expect(bench.store.inspect('k')?.remainingMs).toBe(TTL_MS);
    });
  });

  test.for([
    ['a session', { capabilities: { lease: 'session' } }, /it ends with the session/],
    ['a backend without adopt', {}, /cannot replace its owner/],
    ['a fixed lease', { adopts: true, attempts: [grantedFixed()] }, /cannot renew/],
  ] as const)('is refused for %s, with the reason', async ([, plan, why]) => {
    const bench = new Bench();
    const { locks } = bench.fake(plan);

    await bench.run(async () => {
      const lease = await locks.acquire('k');
      const error = await rejection(lease.export());

      expect(error).toBeInstanceOf(CapabilityError);
      expect(String(error)).toMatch(why);
      expect(lease.state).toBe('held');
      expect(await lease.release()).toEqual({ kind: 'released' });
    });
  });

  test('in a body of use is neither released nor reported as a loss', async () => {
    const bench = new Bench();
    const { locks } = await bench.open('web');

    await bench.run(async () => {
      const used = await locks.use('k', (lease) => lease.export());
      const tried = await locks.tryUse('l', (lease) => lease.export(), { keepMs: 60_000 });
      const own = new Error('of the body');
      const failed = locks.use('m', async (lease) => {
        await lease.export();
        throw own;
      });

      expect(used).toMatch(/^holdfast-lease:1:/);
      expect(tried).toMatchObject({ ran: true });
      await expect(failed).rejects.toBe(own);
      for (const key of ['k', 'l', 'm']) expect(bench.store.inspect(key)).toBeDefined();
      expect(bench.reported('released')).toEqual([]);
      expect(bench.reported('lost')).toEqual([]);
    });
  });

  test('lets close end, and the next waiter of the process contend', async () => {
    const bench = new Bench();
    const { locks } = await bench.open('web');
    const worker = await bench.open('worker');

    await bench.run(async () => {
      const lease = await locks.acquire('k');
      const waiting = locks.acquire('k', { waitMs: 60_000 });
      const adopted = await worker.locks.adopt(await lease.export());
      const closing = worker.locks.close();
      await adopted.release();

      expect((await waiting).owner).not.toBe(adopted.owner);
      expect(await closing).toEqual({ stillHeld: [] });
      await (await waiting).export();
      expect(await locks.close()).toEqual({ stillHeld: [] });
    });
  });
});

describe('an adoption', () => {
  test('replaces the hold: a new owner, a new and larger token, a full ttl from its own send', async () => {
    const bench = new Bench();
    const { locks, process } = await bench.open('web');
    const worker = await bench.open('worker', {}, 20);

    await bench.run(async () => {
      const lease = await locks.acquire('k', { ttlMs: TTL_MS });
      const text = await lease.export();
      await process.sleep(2_000);

      const adopted = await worker.locks.adopt(text);

      expect(adopted.owner).toMatch(/^[^:]+:1:worker$/);
      expect(adopted.owner.split(':')[0]).not.toBe(lease.owner.split(':')[0]);
      expect(adopted.fencingToken).toBeGreaterThan(lease.fencingToken ?? 0n);
      expect(adopted.remainingMs()).toBe(validityMs(TTL_MS) - 40);
      expect(bench.store.inspect('k')).toMatchObject({
        owner: adopted.owner,
        remainingMs: TTL_MS - 20,
      });
      await worker.process.sleep(10 * TTL_MS);
      expect(adopted.state).toBe('held');
      expect(await adopted.release()).toEqual({ kind: 'released' });
    });
  });

  test('takes the options of an acquisition, and the ttl of the exported lease by default', async () => {
    const bench = new Bench();
    const { locks } = await bench.open('web', { ttlMs: 5_000 });
    const worker = await bench.open('worker', { ttlMs: 60_000 });

    await bench.run(async () => {
      const own = await worker.locks.adopt(await (await locks.acquire('a')).export());
      const chosen = await worker.locks.adopt(await (await locks.acquire('b')).export(), {
        ttlMs: 1_000,
        maxHoldMs: 500,
      });

      expect(own.remainingMs()).toBe(validityMs(5_000));
      expect(chosen.remainingMs()).toBe(500);
    });
  });

  test('is refused a second time, after the end of the lease, and after a release by force', async () => {
    const bench = new Bench();
    const { locks, process } = await bench.open('web');
    const worker = await bench.open('worker');

    await bench.run(async () => {
      const text = await (await locks.acquire('k')).export();
      const expired = await (await locks.acquire('expired', { ttlMs: TTL_MS })).export();
      const forced = await (await locks.acquire('forced')).export();
      const adopted = await worker.locks.adopt(text);
      await process.sleep(TTL_MS);
      bench.store.force('forced');

      for (const each of [text, expired, forced])
        expect(await rejection(worker.locks.adopt(each))).toMatchObject({
          code: 'LOCK_LOST',
          message: expect.stringContaining('has expired, was released, or was adopted already'),
        });
      expect(bench.store.inspect('expired')).toBeUndefined();
      adopted.assertHeld();
    });
  });

  test('leaves nothing that the late exporter matches', async () => {
    const bench = new Bench();
    const { locks } = await bench.open('web');
    const worker = await bench.open('worker');

    await bench.run(async () => {
      const lease = await locks.acquire('k', { ttlMs: TTL_MS });
      const adopted = await worker.locks.adopt(await lease.export());

      expect(bench.store.renew('k', lease.owner, 60_000)).toBe(false);
      expect(bench.store.release('k', lease.owner)).toBe(false);
      expect(bench.store.inspect('k')).toMatchObject({ owner: adopted.owner, remainingMs: TTL_MS });
    });
  });

  test('whose reply is lost is tried again, and finds its own first attempt', async () => {
    const bench = new Bench();
    const { locks } = await bench.open('web');
    // Too late for the first attempt, and before the second.
    const replies = [310, 5];
    const worker = await bench.open('worker', {}, 5, () => replies.shift() ?? 5);

    await bench.run(async () => {
      const lease = await locks.acquire('k', { ttlMs: TTL_MS });
      const text = await lease.export();
      const adopted = await worker.locks.adopt(text);

      expect(adopted.owner).toMatch(/:2:worker$/);
      expect(adopted.fencingToken).toBe((lease.fencingToken ?? 0n) + 2n);
      expect(bench.store.inspect('k')?.owner).toBe(adopted.owner);
      await worker.process.sleep(2 * TTL_MS);
      adopted.assertHeld();
    });
  });

  test('that never has a reply is unknown, and releases what it may have taken', async () => {
    const bench = new Bench();
    const { locks, process } = await bench.open('web');
    const worker = await bench.open('worker', {}, 400);

    await bench.run(async () => {
      const text = await (await locks.acquire('k', { ttlMs: TTL_MS })).export();

      await expect(worker.locks.adopt(text, { waitMs: 0 })).rejects.toThrow(OutcomeUnknownError);
      await process.sleep(2_000);

      expect(bench.store.inspect('k')).toBeUndefined();
    });
  });

  test('waits behind no waiter of its process, which could only wait for it', async () => {
    const bench = new Bench();
    const { locks } = await bench.open('web');

    await bench.run(async () => {
      const lease = await locks.acquire('k');
      const waiting = locks.acquire('k', { waitMs: 60_000 });
      const adopted = await locks.adopt(await lease.export());
      expect(await rejection(locks.acquire('k', { waitMs: 10 }))).toBeInstanceOf(LockTimeoutError);
      await adopted.release();

      await (await waiting).release();
    });
  });

  test('that is aborted is released', async () => {
    const bench = new Bench();
    const { locks, process } = await bench.open('web');
    const worker = await bench.open('worker', {}, 10);

    await bench.run(async () => {
      const text = await (await locks.acquire('k')).export();
      const stop = new AbortController();
      const adopting = worker.locks.adopt(text, { signal: stop.signal });
      stop.abort(new Error('stopped'));

      await expect(adopting).rejects.toThrow('stopped');
      await process.sleep(100);
      expect(bench.store.inspect('k')).toBeUndefined();
      expect(bench.reported('orphan')).toMatchObject([{ reason: 'aborted', outcome: 'released' }]);
    });
  });

  test('is refused by a backend that has none, with the reason', async () => {
    const bench = new Bench();
    const { locks } = bench.fake({ capabilities: { lease: 'session' } });

    await bench.run(async () => {
      const error = await rejection(locks.adopt('holdfast-lease:1:e30'));

      expect(error).toBeInstanceOf(CapabilityError);
      expect(String(error)).toContain('it ends with the session');
    });
  });
});

describe('a text that is no exported lease', () => {
  const secret = 'Zq9';
  const lease = { key: 'k', backend: 'memory', owner: `${secret}:1:p`, ttlMs: 1_000 };

  test.for([
    [undefined, 'not a text that'],
    [42, 'not a text that'],
    [secret, 'not a text that'],
    [`holdfast-lease:1:${secret} `, 'not a text that'],
    [`holdfast-lease:2:${secret}`, 'its format is version 2, and this library reads 1'],
    [`holdfast-lease:1:${secret}`, 'damaged'],
    [textOf(secret), 'damaged'],
    [textOf(null), 'damaged'],
    [textOf({ ...lease, owner: 1 }), 'damaged'],
    [textOf({ ...lease, key: '' }), 'damaged'],
    [textOf({ ...lease, ttlMs: 99 }), 'damaged'],
    [textOf({ ...lease, ttlMs: '1000' }), 'damaged'],
    [textOf({ ...lease, backend: 'redlock' }), 'it was exported from "redlock"'],
  ] as const)('is refused before anything is sent, and not quoted: %s', async ([given, why]) => {
    const bench = new Bench();
    const { locks } = await bench.open('worker');

    await bench.run(async () => {
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what JavaScript may pass
      const error = await rejection(locks.adopt(given as string));

      expect(error).toBeInstanceOf(InvalidOptionError);
      expect(String(error)).toContain(why);
      expect(String(error)).not.toContain(secret);
      expect(String(error)).not.toContain('holdfast-lease');
    });
  });

  test('is refused for a key that cannot be locked', async () => {
    const bench = new Bench();
    const { locks } = await bench.open('worker');

    await bench.run(async () => {
      const error = await rejection(locks.adopt(textOf({ ...lease, key: '\n' })));

      expect(error).toMatchObject({ code: 'INVALID_KEY' });
    });
  });
});
