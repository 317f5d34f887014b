import { LockError } from '@holdfast/core';
import { NodeReplyError, NodeUnavailable } from '@holdfast/redis/port';
import { describe, expect, test } from 'vitest';
import { SimpleContender } from '../src/contender.ts';
import { RELEASE } from '../src/scripts.ts';
import { type Bench, bench, KEYS } from './support/scripted-node.ts';

const FOREVER_MS = Number.MAX_SAFE_INTEGER;

function contend({ store }: Bench, ttlMs = 30_000): SimpleContender {
  return new SimpleContender(store, KEYS, 'c1', ttlMs);
}

describe('an attempt', () => {
  test('writes an owner value of its own, and its undo names that very value', async () => {
    const at = bench();
    at.node.answer = () => Promise.resolve(500);
    const contender = contend(at);

    await contender.attempt(FOREVER_MS);
    await contender.attempt(FOREVER_MS);

    expect(at.node.calls.map((call) => call.args)).toEqual([
      ['c1:1:box:1', '30000'],
      ['c1:2:box:1', '30000'],
    ]);
    expect(at.node.calls.map((call) => call.options.undo?.args)).toEqual([
      ['EVAL', RELEASE.source, '2', KEYS.lock, KEYS.channel, 'c1:1:box:1'],
      ['EVAL', RELEASE.source, '2', KEYS.lock, KEYS.channel, 'c1:2:box:1'],
    ]);
  });

  test('is valid from the moment its request left, however long the reply took', async () => {
    const at = bench();
    const sent = at.runtime.now();
    at.node.answer = async () => {
      await at.runtime.pass(70);
      return '1795176664259249';
    };

    const attempt = await contend(at, 1_000).attempt(FOREVER_MS);

    expect(attempt).toMatchObject({
      kind: 'granted',
      grant: {
        owner: 'c1:1:box:1',
        fencingToken: 1_795_176_664_259_249n,
        leaseMs: 1_000,
        validity: { from: sent, ms: 1_000 - 10 - 2 },
      },
    });
  });

  test.each([
    ['a tenth of a short ttl', 1_000, FOREVER_MS, 1_000 + 100],
    ['2 s of a long one', 60_000, FOREVER_MS, 1_000 + 2_000],
    ['no more than the caller has left', 60_000, 1_300, 1_300],
  ])('may take %s', async (_, ttlMs, deadlineMs, expected) => {
    const at = bench();

    await contend(at, ttlMs).attempt(deadlineMs);

    expect(at.node.calls[0]?.options.deadlineMs).toBe(expected);
  });

  test('keeps its undo for as long as its key may stand', async () => {
    const at = bench();

    await contend(at, 1_000).attempt(FOREVER_MS);

    const callMs = 100;
    const driftMs = 12;
    expect(at.node.calls[0]?.options.undo?.keepUntilMs).toBe(1_000 + callMs + 1_000 + driftMs);
  });

  test.each([
    [
      'what the holder has left, and a jitter',
      700,
      0.5,
      { holderRemainingMs: 700, retryAfterMs: 726 },
    ],
    [
      'the safety poll behind a long hold',
      25_000,
      0,
      { holderRemainingMs: 25_000, retryAfterMs: 2_000 },
    ],
    ['never at once', 0, 0, { holderRemainingMs: 0, retryAfterMs: 1 }],
  ])('that finds the key taken is tried again after %s', async (_, left, jitter, expected) => {
    const at = bench();
    at.runtime.jitter = jitter;
    at.node.answer = () => Promise.resolve(left);

    const attempt = await contend(at).attempt(FOREVER_MS);

    expect(attempt).toEqual({ kind: 'busy', ...expected });
  });

  test.each([
    [-1, /never expires/],
    [-2, /not a lock of this library/],
    [-3, /not a fencing token/],
  ])(
    'that finds something foreign (%i) is refused, by an error that names key and backend',
    async (reply, why) => {
      const at = bench();
      at.node.answer = () => Promise.resolve(reply);

      const attempt = await contend(at).attempt(FOREVER_MS);

      const error = attempt.kind === 'refused' ? attempt.error : undefined;
      expect(error).toBeInstanceOf(LockError);
      expect(error).toMatchObject({
        code: 'FOREIGN_KEY',
        key: 'orders/42',
        backend: 'redis-simple',
      });
      expect(error?.message).toMatch(why);
      expect(error?.message).toContain('"orders/42"');
    },
  );

  test.each([
    ['WRONGTYPE Operation against a key holding the wrong kind of value', 'refused'],
    ['NOPERM this user has no permissions to access one of the keys', 'refused'],
    ["ERR The user executing the script can't run this command or subcommand", 'refused'],
    ["ERR ACL failure in script: User app has no permissions to run the 'set' command", 'refused'],
    ['NOAUTH Authentication required.', 'refused'],
    ['WRONGPASS invalid username-password pair or user is disabled.', 'refused'],
    ["READONLY You can't write against a read only replica.", 'unavailable'],
    ['LOADING Redis is loading the dataset in memory', 'unavailable'],
    ["OOM command not allowed when used memory > 'maxmemory'.", 'unavailable'],
    ['NOREPLICAS Not enough good replicas to write.', 'unavailable'],
    ['MISCONF Redis is configured to save RDB snapshots', 'unavailable'],
    ['CLUSTERDOWN The cluster is down', 'unavailable'],
    ['TRYAGAIN Multiple keys request during rehashing of slot', 'unavailable'],
    ['BUSY Redis is busy running a script.', 'unavailable'],
    ['ERR something this table has never heard of', 'unavailable'],
  ])('answered with "%s" is %s', async (text, kind) => {
    const at = bench();
    at.node.answer = () => Promise.reject(new NodeReplyError(text.split(' ')[0] ?? '', text));
    const contender = contend(at);

    const attempt = await contender.attempt(FOREVER_MS);

    expect(attempt.kind).toBe(kind);
    expect(await contender.withdraw()).toEqual({ kind: 'clean' });
  });

  test('that was never written is unavailable, leaves nothing behind, and is reported with its node', async () => {
    const at = bench();
    const cause = new NodeUnavailable('not connected');
    at.node.answer = () => Promise.reject(cause);
    const contender = contend(at);

    const attempt = await contender.attempt(FOREVER_MS);

    expect(attempt).toEqual({ kind: 'unavailable', cause });
    expect(await contender.withdraw()).toEqual({ kind: 'clean' });
    expect(at.events).toEqual([
      expect.objectContaining({ type: 'node', node: at.node.address, outcome: 'unavailable' }),
    ]);
  });
});
