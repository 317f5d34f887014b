import { LockLostError } from '@holdfast/core';
import { NodeDoubt, NodeUnavailable } from '@holdfast/redis/port';
import { describe, expect, test } from 'vitest';
import { SimpleAdopter } from '../src/adopter.ts';
import { RELEASE } from '../src/scripts.ts';
import { type Bench, bench, KEYS } from './support/scripted-node.ts';

const TTL_MS = 1_000;
const FOREVER_MS = Number.MAX_SAFE_INTEGER;
const EXPORTED = 'web:3:web-host';
const TOKEN = '1795176664259249';
const doubt = new NodeDoubt('no reply', 'none', Promise.resolve(false));

function adopter({ store }: Bench): SimpleAdopter {
  return new SimpleAdopter(store, KEYS, {
    contender: 'c1',
    ttlMs: TTL_MS,
    exported: EXPORTED,
  });
}

describe('an adoption', () => {
  test('names the exported value, and sends no undo behind it', async () => {
    const at = bench();
    at.node.answer = () => Promise.reject(doubt);
    const it = adopter(at);

    await it.attempt(FOREVER_MS);
    await it.attempt(FOREVER_MS);

    expect(at.node.calls.map(({ name, keys, args }) => [name, keys, args])).toEqual(
      [1, 2].map((n) => [
        'adopt',
        [KEYS.lock, KEYS.fence, KEYS.channel],
        [`c1:${n}:box:1`, '1000', EXPORTED],
      ]),
    );
    expect(at.node.calls.map(({ options }) => options)).toEqual([
      { deadlineMs: 1_000 + 100 },
      { deadlineMs: 1_000 + 100 },
    ]);
  });

  test('is valid from the moment its request left, and can be exported again', async () => {
    const at = bench();
    const sent = at.runtime.now();
    at.node.answer = async () => {
      await at.runtime.pass(70);
      return TOKEN;
    };

    const attempt = await adopter(at).attempt(FOREVER_MS);

    expect(attempt).toMatchObject({
      kind: 'granted',
      grant: {
        owner: 'c1:1:box:1',
        fencingToken: BigInt(TOKEN),
        leaseMs: TTL_MS,
        validity: { from: sent, ms: TTL_MS - 10 - 2 },
      },
    });
    expect(attempt.kind === 'granted' && attempt.grant.export?.()).toBe('c1:1:box:1');
  });

  test('that finds nothing to adopt is lost for good, and leaves nothing', async () => {
    const at = bench();
    const replies = [doubt, 'gone'];
    at.node.answer = () => {
      const reply = replies.shift();
      return reply instanceof Error ? Promise.reject(reply) : Promise.resolve(reply ?? 0);
    };
    const it = adopter(at);
    await it.attempt(FOREVER_MS);

    const attempt = await it.attempt(FOREVER_MS);

    const error = attempt.kind === 'refused' ? attempt.error : undefined;
    expect(error).toBeInstanceOf(LockLostError);
    expect(error).toMatchObject({ key: KEYS.key, backend: 'redis-simple' });
    // By then the attempt in doubt has nothing to adopt either.
    expect(await it.withdraw()).toEqual({ kind: 'clean' });
    await at.runtime.pass(10_000);
    expect(at.node.calls).toHaveLength(2);
  });

  test('in doubt is undone by the withdrawal, by every value that it may have stored', async () => {
    const at = bench();
    at.node.answer = ({ name }) => (name === 'adopt' ? Promise.reject(doubt) : Promise.resolve(0));
    const it = adopter(at);
    expect((await it.attempt(FOREVER_MS)).kind).toBe('unknown');
    expect((await it.attempt(FOREVER_MS)).kind).toBe('unknown');
    await at.runtime.pass(100);
    expect(at.node.calls).toHaveLength(2);

    expect(await it.withdraw()).toMatchObject({ kind: 'unknown' });
    await at.runtime.pass(100);

    const released = at.node.calls.filter(({ name }) => name === RELEASE.name);
    expect(new Set(released.map(({ args }) => args[0]))).toEqual(
      new Set(['c1:1:box:1', 'c1:2:box:1']),
    );
  });

  test.each([
    [42, 'unknown'],
    ['', 'unknown'],
    ['12', 'unknown'],
    [null, 'unknown'],
    [-3, 'refused'],
  ])('answered with %j is %s', async (reply, kind) => {
    const at = bench();
    at.node.answer = () => Promise.resolve(reply);

    expect((await adopter(at).attempt(FOREVER_MS)).kind).toBe(kind);
  });

  test('that was never written is unavailable, and leaves nothing to undo', async () => {
    const at = bench();
    at.node.answer = () => Promise.reject(new NodeUnavailable('not connected'));
    const it = adopter(at);

    expect((await it.attempt(FOREVER_MS)).kind).toBe('unavailable');
    expect(await it.withdraw()).toEqual({ kind: 'clean' });
    expect(at.events).toMatchObject([{ type: 'node', outcome: 'unavailable' }]);
  });
});
