import { ConfigError } from '@holdfast/core';
import type { RedisBackend } from '@holdfast/redis';
import { NodeDoubt, NodeReplyError, NodeUnavailable } from '@holdfast/redis/port';
import { describe, expect, test } from 'vitest';
import { SimpleContender } from '../../packages/redis-simple/src/contender.ts';
import { openRedisSimple, redisSimple } from '../../packages/redis-simple/src/open.ts';
import { type Bench, bench, KEYS } from '../../packages/redis-simple/test/support/scripted-node.ts';
import { deferred, settled } from '../../packages/redis-simple/test/support/virtual-runtime.ts';

/** Checks that came of mutants which nothing else had noticed; see docs/evidence/mutation.md. */

function backend({ node, host }: Bench): RedisBackend {
  return redisSimple({ node, ownsNode: true, namespace: 'holdfast' }, host);
}

function failing(cause: Error): Bench {
  const at = bench();
  at.node.answer = () => Promise.reject(cause);
  return at;
}

const SILENT = new NodeDoubt('no answer', 'none', Promise.resolve(false));
const UNDONE = new NodeDoubt('no answer', 'ordered', Promise.resolve(true));

describe('a call that the node did not serve is told as an event of key and cause', () => {
  const told = { type: 'node', key: KEYS.key, cause: SILENT };

  async function granted(
    at: Bench,
  ): Promise<{ renew(): Promise<unknown>; release(): Promise<unknown> }> {
    const contender = backend(at).contend({ key: KEYS.key, contender: 'c1' });
    const attempt = await contender.attempt(Number.MAX_SAFE_INTEGER);
    if (attempt.kind !== 'granted') throw new Error(attempt.kind);
    at.node.answer = () => Promise.reject(SILENT);
    const { grant } = attempt;
    return { renew: async () => grant.renew?.(30_000), release: () => grant.release() };
  }

  test('by a renewal, and by a release', async () => {
    const at = bench();
    const grant = await granted(at);

    await grant.renew();
    await grant.release();

    expect(at.events).toMatchObject([told, told]);
  });

  test('by an inspection, and by a forced release', async () => {
    const at = failing(SILENT);

    await expect(backend(at).inspect(KEYS.key)).rejects.toMatchObject({ cause: SILENT });
    expect(await backend(at).forceRelease(KEYS.key)).toEqual({ kind: 'unknown', cause: SILENT });

    expect(at.events).toMatchObject([told, told]);
  });
});

describe('an operator', () => {
  test('is shown the holder, what remains, and the token', async () => {
    const at = bench();
    at.node.answer = () => Promise.resolve(['c1:1:box:1', 0, '17']);

    expect(await backend(at).inspect(KEYS.key)).toEqual({
      key: KEYS.key,
      held: true,
      owner: 'c1:1:box:1',
      holder: 'box:1',
      remainingMs: 0,
      fencingToken: 17n,
    });
  });

  test.each([
    ['a key without an expiry', -1, null],
    ['a fence that is no token', -1, 'abc'],
  ])('is shown no figures of %s', async (_, leftMs, token) => {
    const at = bench();
    at.node.answer = () => Promise.resolve(['c1:1:box:1', leftMs, token]);

    const { remainingMs, fencingToken } = await backend(at).inspect(KEYS.key);

    expect([remainingMs, fencingToken]).toEqual([undefined, undefined]);
  });

  test('is told that nothing was forced when nothing was sent', async () => {
    const cause = new NodeUnavailable('not connected');

    await expect(backend(failing(cause)).forceRelease(KEYS.key)).rejects.toMatchObject({
      code: 'BACKEND_UNAVAILABLE',
      cause,
    });
  });

  test('is told what stands there instead of a lock', async () => {
    const at = bench();
    at.node.answer = () => Promise.resolve(-2);

    await expect(backend(at).forceRelease(KEYS.key)).rejects.toMatchObject({ code: 'FOREIGN_KEY' });
  });

  test('learns how long a node takes to answer', async () => {
    const at = bench();
    at.node.answer = async () => {
      await at.runtime.pass(3);
      return [];
    };

    expect((await backend(at).health()).nodes?.[0]?.roundTripMs).toBe(3);
  });
});

describe('a refusal says why, by its code and in words', () => {
  test.each([
    ['WRONGTYPE', 'FOREIGN_KEY', 'holds something that is not a lock'],
    ['NOPERM', 'NOPERM', 'may not be locked by this Redis user'],
    ['NOAUTH', 'NOAUTH', 'cannot be locked without authentication'],
    ['WRONGPASS', 'WRONGPASS', 'cannot be locked with this password'],
  ])('of %s', async (code, known, words) => {
    const cause = new NodeReplyError(code, `${code} as the server says it`);

    await expect(backend(failing(cause)).inspect(KEYS.key)).rejects.toMatchObject({
      code: known,
      message: expect.stringContaining(words),
      cause,
    });
  });

  test('of a command inside a script', async () => {
    const text = "The user executing the script can't run this command";

    await expect(
      backend(failing(new NodeReplyError('ERR', text))).inspect(KEYS.key),
    ).rejects.toMatchObject({ code: 'NOPERM' });
  });
});

function busy(at: Bench): SimpleContender {
  at.node.answer = () => Promise.resolve(400);
  return new SimpleContender(at.store, KEYS, 'c1', 1_000);
}

describe('a waiter', () => {
  test('subscribes once, however often it waits before that is live', async () => {
    const at = bench();
    const live = deferred<void>();
    at.node.live = live.promise;
    const it = busy(at);

    const waits = [it.changed(AbortSignal.any([])), it.changed(AbortSignal.any([]))];
    live.resolve(undefined);
    await Promise.all(waits);

    expect(at.node.listeners.size).toBe(1);
  });

  test('leaves no listener on a signal that it waited with', async () => {
    const at = bench();
    const it = busy(at);
    const { signal } = new AbortController();
    const listeners = new Set<unknown>();
    signal.addEventListener = (_: string, listener: unknown) => void listeners.add(listener);
    signal.removeEventListener = (_: string, listener: unknown) => void listeners.delete(listener);

    await it.changed(signal);

    expect(listeners.size).toBe(0);
  });

  test('that has withdrawn is told nothing of a subscription that fails', async () => {
    const at = bench();
    const failed = deferred<Promise<never>>();
    at.node.live = failed.promise.then((never) => never);
    const it = busy(at);
    void it.changed(AbortSignal.any([]));
    await it.withdraw();

    failed.resolve(Promise.reject(new NodeUnavailable('not connected')));
    await settled();

    expect(at.events).toEqual([]);
  });
});

test('closing awaits what is being given back, and then closes the node', async () => {
  const at = bench();
  const it = backend(at);
  const attempt = await it
    .contend({ key: KEYS.key, contender: 'c1' })
    .attempt(Number.MAX_SAFE_INTEGER);
  at.node.answer = () => Promise.reject(SILENT);
  if (attempt.kind === 'granted') await attempt.grant.release();
  const answered = deferred<number>();
  at.node.answer = () => answered.promise;

  const closing = it.close({ timeoutMs: 1_000 });
  await settled();
  const wasClosed = at.node.isClosed;
  answered.resolve(1);
  await settled();
  await closing;

  expect([wasClosed, at.node.isClosed]).toEqual([false, true]);
});

function info(role: string): string {
  return `redis_version:7.0.0\r\nrole:${role}\r\nredis_mode:standalone\r\nrun_id:1\r\nmaxmemory_policy:noeviction`;
}

function answering(role: string): Bench {
  const at = bench();
  at.node.answer = ({ name }) => Promise.resolve(name === 'INFO' ? info(role) : []);
  return at;
}

describe('opening', () => {
  test('refuses a namespace that could not be told from others', async () => {
    const { node, host } = answering('master');

    await expect(openRedisSimple({ node, namespace: '' }, host)).rejects.toThrow(/namespace/);
  });

  test('refuses a replica, and leaves somebody else’s node open', async () => {
    const { node, host } = answering('slave');

    await expect(openRedisSimple({ node }, host)).rejects.toThrow(ConfigError);
    expect(node.isClosed).toBe(false);
  });

  test('takes a node that stays its owner’s to close', async () => {
    const { node, host } = answering('master');

    await (await openRedisSimple({ node }, host)).close();

    expect(node.isClosed).toBe(false);
  });

  test.each([
    ['neither a source nor a node', {}],
    ['both', { source: 'redis://127.0.0.1:1', node: bench().node }],
  ])('refuses %s', async (_, options) => {
    await expect(openRedisSimple(options, bench().host)).rejects.toMatchObject({
      message: expect.stringContaining('either a source'),
      backend: 'redis-simple',
    });
  });
});

test('a release may take a tenth of the ttl that was renewed for', async () => {
  const at = bench();
  const attempt = await backend(at)
    .contend({ key: KEYS.key, contender: 'c1', ttlMs: 10_000 })
    .attempt(Number.MAX_SAFE_INTEGER);
  at.node.answer = () => Promise.resolve(1);
  if (attempt.kind !== 'granted') throw new Error(attempt.kind);
  await attempt.grant.renew?.(2_000);
  await attempt.grant.release();

  const { monotonicMs } = at.runtime.now();
  expect(at.node.calls.at(-1)?.options.deadlineMs).toBe(monotonicMs + 200);
});

test('a release without an answer is sent again every two seconds at least', async () => {
  const at = bench();
  const attempt = await backend(at)
    .contend({ key: KEYS.key, contender: 'c1', ttlMs: 60_000 })
    .attempt(Number.MAX_SAFE_INTEGER);
  const sentMs: number[] = [];
  // The longest that chance makes of a pause.
  at.runtime.jitter = 1;
  at.node.answer = () => {
    sentMs.push(at.runtime.now().monotonicMs);
    return Promise.reject(SILENT);
  };
  if (attempt.kind === 'granted') await attempt.grant.release();
  await at.runtime.pass(50_000);

  const pausesMs = sentMs.slice(1).map((ms, i) => ms - (sentMs[i] ?? 0));
  expect(pausesMs.length).toBeGreaterThan(20);
  expect(Math.max(...pausesMs)).toBeLessThanOrEqual(2_000);
});

test('an attempt stays in doubt when a later one has been undone', async () => {
  const at = bench();
  const it = new SimpleContender(at.store, KEYS, 'c1', 1_000);
  at.node.answer = () => Promise.reject(SILENT);
  await it.attempt(Number.MAX_SAFE_INTEGER);
  at.node.answer = () => Promise.reject(UNDONE);
  await it.attempt(Number.MAX_SAFE_INTEGER);
  await settled();

  expect((await it.withdraw()).kind).toBe('unknown');
});
