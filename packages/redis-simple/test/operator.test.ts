import type { RedisBackend } from '@holdfast/redis';
import { NodeDoubt, NodeReplyError, NodeUnavailable } from '@holdfast/redis/port';
import { describe, expect, test } from 'vitest';
import { redisSimple } from '../src/open.ts';
import { type Bench, bench, KEYS } from './support/scripted-node.ts';

function backend({ node, host }: Bench): RedisBackend {
  return redisSimple({ node, ownsNode: true, namespace: 'holdfast' }, host);
}

function failing(cause: Error): Bench {
  const at = bench();
  at.node.answer = () => Promise.reject(cause);
  return at;
}

const SILENT = new NodeDoubt('no answer', 'none', Promise.resolve(false));

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
