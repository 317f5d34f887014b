import type { Attempt, Backend, Contender } from '@holdfast/core/backend';
import { NodeDoubt, NodeReplyError, NodeUnavailable } from '@holdfast/redis/port';
import { describe, expect, test } from 'vitest';
import { Bench, KEY, LOCK } from './support/bench.ts';

const TTL_MS = 1_000;
const FOREVER_MS = Number.MAX_SAFE_INTEGER;

function contend(client: Backend, ttlMs = TTL_MS): Contender {
  return client.contend({ key: KEY, contender: 'c', ttlMs });
}

function attempt(client: Backend, ttlMs?: number): Promise<Attempt> {
  return contend(client, ttlMs).attempt(FOREVER_MS);
}

const doubt = (): NodeDoubt => new NodeDoubt('no reply', 'none', Promise.resolve(false));
const failing =
  (name: string, error: Error) =>
  (command: string): undefined => {
    if (command === name) throw error;
  };

test('a free key is taken by one SETNX, of the last ms by our own wall clock', async () => {
  const at = new Bench();
  const from = at.runtime.now();

  const outcome = await attempt(at.client());

  const stamp = `${from.wallMs + TTL_MS + 1}`;
  expect(at.node.calls.map(({ args }) => args)).toEqual([['SETNX', LOCK, stamp]]);
  expect(outcome).toMatchObject({
    kind: 'granted',
    grant: { owner: stamp, leaseMs: TTL_MS, validity: { from, ms: TTL_MS } },
  });
});

test('a lease is fixed and has no token', async () => {
  const outcome = await attempt(new Bench().client());

  const grant = outcome.kind === 'granted' ? outcome.grant : {};
  expect('renew' in grant || 'fencingToken' in grant).toBe(false);
});

test('a held key is busy, until its stamp by our clock, and tried again soon', async () => {
  const at = new Bench();
  await attempt(at.client());
  at.runtime.jitter = 0.5;
  await at.runtime.pass(300);

  const outcome = await attempt(at.client());

  expect(outcome).toEqual({ kind: 'busy', holderRemainingMs: TTL_MS + 2 - 300, retryAfterMs: 75 });
  expect(at.node.names).toEqual(['SETNX', 'SETNX', 'GET']);
});

test('a stamp that expires while the reply is in flight has 0 ms left', async () => {
  const at = new Bench();
  await attempt(at.client());
  await at.runtime.pass(2 * TTL_MS);
  at.node.before = async (name) => {
    if (name !== 'GETSET') return;
    const faster = `${at.wallMs + TTL_MS}`;
    at.node.values.set(LOCK, faster);
  };
  at.node.after = async (name) => {
    if (name === 'GETSET') await at.runtime.pass(TTL_MS + 2);
    return undefined;
  };

  const outcome = await attempt(at.client());

  expect(outcome).toMatchObject({ kind: 'busy', holderRemainingMs: 0 });
});

test('an expired stamp is taken over by GETSET, and valid from when that left', async () => {
  const at = new Bench();
  await attempt(at.client());
  await at.runtime.pass(TTL_MS + 2);
  at.node.before = async () => await at.runtime.pass(10);
  const sent = at.runtime.now().monotonicMs + 20;

  const outcome = await attempt(at.client());

  expect(at.node.names).toEqual(['SETNX', 'SETNX', 'GET', 'GETSET']);
  expect(outcome).toMatchObject({ grant: { validity: { from: { monotonicMs: sent } } } });
  expect(at.stored).toBe(outcome.kind === 'granted' ? outcome.grant.owner : '');
});

test('a stamp is respected up to and including its own ms', async () => {
  const at = new Bench();
  await attempt(at.client());

  await at.runtime.pass(TTL_MS + 1);
  expect((await attempt(at.client())).kind).toBe('busy');
  await at.runtime.pass(1);

  expect((await attempt(at.client())).kind).toBe('granted');
});

test('of two that find the same stamp expired GETSET lets one win', async () => {
  const at = new Bench();
  await attempt(at.client());
  await at.runtime.pass(2 * TTL_MS);

  const [first, second] = await Promise.all([attempt(at.client()), attempt(at.client())]);

  expect([first.kind, second.kind]).toEqual(['granted', 'busy']);
});

describe('a key that vanishes', () => {
  test('between SETNX and GET is requested once more from the start', async () => {
    const at = new Bench();
    await attempt(at.client());
    at.node.before = (name) => void (name === 'GET' && at.node.values.clear());

    expect((await attempt(at.client())).kind).toBe('granted');
    expect(at.node.names.slice(1)).toEqual(['SETNX', 'GET', 'SETNX']);
  });

  test('again and again is reported as busy, not tried without end', async () => {
    const at = new Bench();
    at.node.before = (name) => void (name === 'SETNX' && at.node.values.set(LOCK, '1'));
    at.node.after = (name) => {
      if (name === 'SETNX') at.node.values.clear();
      return undefined;
    };

    expect((await attempt(at.client())).kind).toBe('busy');
    expect(at.node.names).toEqual(['SETNX', 'GET', 'SETNX', 'GET']);
  });

  test('between GET and GETSET is won: no stamp was stored when ours was set', async () => {
    const at = new Bench();
    await attempt(at.client());
    await at.runtime.pass(2 * TTL_MS);
    at.node.before = (name) => void (name === 'GETSET' && at.node.values.clear());

    expect((await attempt(at.client())).kind).toBe('granted');
  });
});

describe('something that is not a stamp', () => {
  test.each([['c1:1:box:1'], [''], ['1700000000'], ['17000000000000'], ['abc'], ['1e12']])(
    '%j is refused with the key, and left alone',
    async (value) => {
      const at = new Bench();
      at.node.values.set(LOCK, value);

      const outcome = await attempt(at.client());

      expect(outcome).toMatchObject({
        kind: 'refused',
        error: {
          code: 'FOREIGN_KEY',
          key: KEY,
          backend: 'redis-getset',
          message: expect.stringContaining('holds something that is not a lock'),
        },
      });
      expect(at.stored).toBe(value);
      expect(at.node.names).toEqual(['SETNX', 'GET']);
    },
  );

  test('of another type is refused the same way', async () => {
    const at = new Bench();
    at.node.values.set(LOCK, 'x');
    at.node.before = failing('GET', new NodeReplyError('WRONGTYPE', 'WRONGTYPE …'));

    expect(await attempt(at.client())).toMatchObject({
      kind: 'refused',
      error: { code: 'FOREIGN_KEY', key: KEY },
    });
  });

  test('that came between GET and GETSET is never taken for an expired lock', async () => {
    const at = new Bench();
    await attempt(at.client());
    await at.runtime.pass(2 * TTL_MS);
    at.node.before = (name) => void (name === 'GETSET' && at.node.values.set(LOCK, 'another tool'));

    expect(await attempt(at.client())).toMatchObject({
      kind: 'refused',
      error: { code: 'FOREIGN_KEY', key: KEY },
    });
  });
});

describe('without a valid reply', () => {
  test.each([
    ['SETNX', doubt(), 'unknown'],
    ['SETNX', new NodeUnavailable('not connected'), 'unavailable'],
    ['SETNX', new NodeReplyError('READONLY', 'READONLY …'), 'unavailable'],
    ['SETNX', new NodeReplyError('NOPERM', 'NOPERM …'), 'refused'],
    ['GET', doubt(), 'unavailable'],
    ['GETSET', doubt(), 'unknown'],
    ['GETSET', new NodeUnavailable('not connected'), 'unavailable'],
  ])('to %s, by %o, an attempt is %s', async (name, error, kind) => {
    const at = new Bench();
    at.node.values.set(LOCK, `${at.wallMs - 1}`);
    if (name === 'SETNX') at.node.values.clear();
    at.node.after = failing(name, error);

    expect((await attempt(at.client())).kind).toBe(kind);
    expect(at.events).toMatchObject([{ type: 'node', key: KEY }]);
  });

  test.each([
    ['SETNX', 'OK', 'unknown'],
    ['SETNX', 2, 'unknown'],
    ['GET', 7, 'unavailable'],
    ['GET', [], 'unavailable'],
    ['GETSET', 1, 'unknown'],
    ['GETSET', [], 'unknown'],
    ['SETNX', 'QUEUED', 'unknown'],
    ['SETNX', Number.NaN, 'unknown'],
    ['SETNX', '1', 'unknown'],
  ])('but %s answering %j, it is never won', async (name, reply, kind) => {
    const at = new Bench();
    at.node.values.set(LOCK, `${at.wallMs - 1}`);
    at.node.after = (command) => (command === name ? reply : undefined);

    expect((await attempt(at.client())).kind).toBe(kind);
  });
});

test('all its commands together share one call deadline, or the sooner one that was given', async () => {
  const at = new Bench();
  at.node.values.set(LOCK, `${at.wallMs - 1}`);
  at.node.before = async () => await at.runtime.pass(20);

  await attempt(at.client());
  await contend(at.client()).attempt(1_075);

  // From 1 000: three commands; from 1 060: two, since a tenth of the ttl would be more than was given.
  const deadlines = at.node.calls.map(({ options }) => options.deadlineMs);
  expect(deadlines).toEqual([1_100, 1_100, 1_100, 1_075, 1_075]);
});

describe('a withdrawal', () => {
  test('is clean when nothing was written', async () => {
    const at = new Bench();
    await attempt(at.client());
    const waiter = contend(at.client());
    await waiter.attempt(FOREVER_MS);

    expect(await waiter.withdraw()).toEqual({ kind: 'clean' });
  });

  test('says how long a stamp may stand whose reply was lost, and sends nothing', async () => {
    const at = new Bench();
    const contender = contend(at.client());
    at.node.after = failing('SETNX', doubt());
    await contender.attempt(FOREVER_MS);
    await at.runtime.pass(400);

    expect(await contender.withdraw()).toEqual({ kind: 'unknown', untilMs: TTL_MS + 12 - 400 });
    expect(at.node.names).toEqual(['SETNX']);
    await at.runtime.pass(TTL_MS);
    expect(await contender.withdraw()).toEqual({ kind: 'clean' });
  });

  test('says the same of a stamp whose reply was of no known kind', async () => {
    const at = new Bench();
    const contender = contend(at.client());
    at.node.after = (command) => (command === 'SETNX' ? 'OK' : undefined);
    await contender.attempt(FOREVER_MS);

    expect(await contender.withdraw()).toEqual({ kind: 'unknown', untilMs: TTL_MS + 12 });
  });

  test('says so to the last millisecond, whatever was tried since', async () => {
    const at = new Bench();
    const contender = contend(at.client());
    at.node.after = failing('SETNX', doubt());
    await contender.attempt(FOREVER_MS);
    at.node.after = failing('SETNX', new NodeUnavailable('not connected'));
    await at.runtime.pass(TTL_MS + 11);
    await contender.attempt(FOREVER_MS);

    expect(await contender.withdraw()).toEqual({ kind: 'unknown', untilMs: 1 });
  });

  test('looks at no stamp again that is long past, however many there were', async () => {
    const at = new Bench();
    const contender = contend(at.client());
    at.node.after = failing('SETNX', doubt());
    for (let n = 0; n < 20; n++) await contender.attempt(FOREVER_MS);
    await at.runtime.pass(2 * TTL_MS);
    await contender.attempt(FOREVER_MS);
    let looks = 0;
    const elapsedMs = at.runtime.elapsedMs.bind(at.runtime);
    at.runtime.elapsedMs = (since) => {
      looks += 1;
      return elapsedMs(since);
    };

    await contender.withdraw();

    expect(looks).toBe(1);
  });

  test('says the same after a race that it lost: its stamp stands over the winner’s', async () => {
    const at = new Bench();
    await attempt(at.client(), 100);
    await at.runtime.pass(TTL_MS);
    const loser = contend(at.client(), 5_000);
    const [won, lost] = await Promise.all([attempt(at.client()), loser.attempt(FOREVER_MS)]);
    expect([won.kind, lost.kind]).toEqual(['granted', 'busy']);

    expect(at.stored).toBe(`${at.wallMs + 5_001}`);
    expect(await loser.withdraw()).toEqual({ kind: 'unknown', untilMs: 5_052 });
  });
});
