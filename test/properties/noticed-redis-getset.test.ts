import { NodeDoubt, NodeReplyError, NodeUnavailable } from '@holdfast/redis/port';
import { describe, expect, test } from 'vitest';
import { openRedisGetset } from '../../packages/redis-getset/src/open.ts';
import { stampFor } from '../../packages/redis-getset/src/stamp.ts';
import { Bench, KEY } from '../../packages/redis-getset/test/support/bench.ts';

/** Checks that came of mutants which nothing else had noticed; see docs/evidence/mutation.md. */

const BACKEND = 'redis-getset';

function failing(cause: Error): Bench {
  const at = new Bench();
  at.node.before = () => {
    throw cause;
  };
  return at;
}

test('a stamp is of whole milliseconds, the part of one left out', () => {
  expect(stampFor(1_700_000_000_000.5, 1_000)).toBe(1_700_000_001_001);
});

describe('an operator is told why, with key, backend and cause', () => {
  test.each([
    ['refused', new NodeReplyError('NOPERM', 'NOPERM this user has no permissions'), 'NOPERM'],
    ['of another type', new NodeReplyError('WRONGTYPE', 'WRONGTYPE Operation …'), 'FOREIGN_KEY'],
    ['not there', new NodeUnavailable('not connected'), 'BACKEND_UNAVAILABLE'],
  ])('where the node is %s', async (_, cause, code) => {
    const at = failing(cause);

    for (const asking of [at.client().inspect?.(KEY), at.client().forceRelease?.(KEY)])
      await expect(asking).rejects.toMatchObject({ code, key: KEY, backend: BACKEND, cause });
  });
});

test('a call that was not answered is told as an event of key and cause', async () => {
  const cause = new NodeDoubt('no reply', 'none', Promise.resolve(false));
  const at = failing(cause);

  await at.client().contend({ key: KEY, contender: 'c' }).attempt(Number.MAX_SAFE_INTEGER);

  expect(at.events).toMatchObject([{ type: 'node', backend: BACKEND, key: KEY, cause }]);
});

describe('a node that was given', () => {
  const { node, runtime } = new Bench();
  const host = { runtime, label: 'box:1', emit: () => undefined };

  test('stays open when the backend closes', async () => {
    await (await openRedisGetset({ node }, host)).close();

    expect(node.isClosed).toBe(false);
  });

  test('makes up for no namespace that could not be told from others', async () => {
    await expect(openRedisGetset({ node, namespace: '' }, host)).rejects.toThrow(/namespace/);
  });
});
