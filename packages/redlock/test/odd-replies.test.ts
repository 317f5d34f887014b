import { BackendUnavailableError } from '@holdfast/core';
import { NodeReplyError, type Reply } from '@holdfast/redis/port';
import { describe, expect, test } from 'vitest';
import { Bench, TTL_MS } from './support/bench.ts';
import type { VotingNode } from './support/voting-node.ts';

/** Replies that no script of ours ever gets. */
const NEVER: readonly Reply[] = [
  'QUEUED',
  'OK',
  '1',
  null,
  [],
  ['a:1:b'],
  ['a:1:b', '5'],
  [null, -2, null],
  -3,
  0.5,
  2 ** 60,
  Number.NaN,
];

/** All nodes execute their calls, and reply to this script so. */
function answer(nodes: readonly VotingNode[], name: string, reply: Reply): () => void {
  const undo = nodes.map((node) => {
    const script = node.script.bind(node);
    node.script = async (named, keys, args, options) => {
      const right = await script(named, keys, args, options);
      return named.name === name ? reply : right;
    };
    return () => {
      node.script = script;
    };
  });
  return () => {
    for (const each of undo) each();
  };
}

const reported = (at: Bench, name: string): number =>
  at.events.filter(
    (event) =>
      event.type === 'node' &&
      event.cause instanceof Error &&
      event.cause.message.includes(`${name}: unexpected reply `),
  ).length;

describe.each(NEVER)('answered with %j', (reply) => {
  test('a vote is in doubt, reported, and released', async () => {
    const at = await Bench.open(3);
    answer(at.nodes, 'acquire', reply);

    const attempt = await at.attempt(at.contend('a'));
    await at.runtime.pass(TTL_MS / 2);

    expect(attempt.kind).toBe('unknown');
    expect(reported(at, 'acquire')).toBeGreaterThanOrEqual(2);
    expect(at.owners).toEqual([undefined, undefined, undefined]);
  });

  test('a renewal is a doubt', async () => {
    const at = await Bench.open(3);
    const grant = await at.take('a');
    answer(at.nodes, 'renew', reply);

    expect((await at.let(grant.renew(TTL_MS))).kind).toBe('unknown');
    expect(reported(at, 'renew')).toBeGreaterThanOrEqual(2);
  });

  test('a release is a doubt, and tried again', async () => {
    const at = await Bench.open(3);
    const grant = await at.take('a');
    const stop = answer(at.nodes, 'release', reply);
    for (const node of at.nodes) node.executed.length = 0;

    expect((await at.let(grant.release())).kind).toBe('unknown');
    stop();
    await at.runtime.pass(TTL_MS / 2);

    const releases = at.nodes.map(({ executed }) => executed.length);
    expect(releases).toEqual([2, 2, 2]);
  });

  test('inspect does not know', async () => {
    const at = await Bench.open(3);
    await at.take('a');
    answer(at.nodes.slice(1), 'inspect', reply);

    await expect(at.backend.inspect?.('k')).rejects.toThrow(BackendUnavailableError);
  });

  test('forceRelease is a doubt', async () => {
    const at = await Bench.open(3);
    await at.take('a');
    answer(at.nodes.slice(1), 'force', reply);

    expect(await at.backend.forceRelease?.('k')).toMatchObject({ kind: 'unknown' });
  });
});

test.each(['QUEUED', 'n1:6379 QUEUED'])(
  'a list of nodes that is none is no other list: %s',
  async (reply) => {
    const at = await Bench.open(3);
    const [first] = at.nodes;
    if (first === undefined) throw new Error('no node');
    answer([first], 'introduce', reply);

    first.runId = 'again';
    first.connections += 1;
    await at.take('a');

    expect(at.events.filter(({ type }) => type === 'warning')).toEqual([]);
    expect(reported(at, 'introduce')).toBe(1);
  },
);

describe('what stands on most nodes instead of a lock is named', () => {
  test.each([
    [-1, 'never expires'],
    [-2, 'is not a lock of this library'],
  ])('where they answer %i', async (reply, words) => {
    const at = await Bench.open();
    for (const node of at.nodes) node.strange = reply;

    await expect(at.backend.forceRelease?.('k')).rejects.toMatchObject({
      code: 'FOREIGN_KEY',
      message: expect.stringContaining(words),
    });
  });

  test.each([
    ['WRONGTYPE', 'FOREIGN_KEY', 'holds something that is not a lock'],
    ['NOPERM', 'NOPERM', 'may not be locked by this Redis user'],
    ['NOAUTH', 'NOAUTH', 'cannot be locked without authentication'],
    ['WRONGPASS', 'WRONGPASS', 'cannot be locked with this password'],
  ])('where they refuse with %s', async (code, known, words) => {
    const at = await Bench.open();
    const cause = new NodeReplyError(code, `${code} as the server says it`);
    for (const node of at.nodes) node.strange = cause;

    await expect(at.backend.inspect?.('k')).rejects.toMatchObject({
      code: known,
      message: expect.stringContaining(words),
      cause,
    });
  });
});
