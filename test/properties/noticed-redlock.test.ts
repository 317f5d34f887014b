import { NodeDoubt, NodeReplyError } from '@holdfast/redis/port';
import { describe, expect, test } from 'vitest';
import { openRedlock } from '../../packages/redlock/src/open.ts';
import { majorityFreeInMs } from '../../packages/redlock/src/validity.ts';
import { Bench } from '../../packages/redlock/test/support/bench.ts';

/** Checks that came of mutants which nothing else had noticed; see docs/evidence/mutation.md. */

const SILENT = new NodeDoubt('no answer', 'none', Promise.resolve(false));

test('a majority is free when enough nodes are, in whatever order they said so', () => {
  expect(majorityFreeInMs([500, 10, 300, 20, 400], 3)).toBe(300);
  expect(majorityFreeInMs([1000, 200, 30], 2)).toBe(200);
});

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

describe('an inspection', () => {
  test('shows the contender with most votes, and when its majority ends', async () => {
    const at = await Bench.open();
    const [first, ...rest] = at.nodes;
    first?.give('b:1:other', 900);
    for (const [i, node] of rest.entries()) node.give('a:1:box', 100 * (i + 1));

    expect(await at.backend.inspect?.('k')).toMatchObject({ owner: 'a:1:box', remainingMs: 200 });
  });

  test('counts a node that is silent as a vote that may be there', async () => {
    const at = await Bench.open();
    const [first, second] = at.nodes;
    for (const node of at.nodes.slice(1, 3)) node.give('a:1:box', 500);
    if (first !== undefined) first.isDown = true;

    expect(await at.backend.inspect?.('k')).toMatchObject({ held: true, remainingMs: 500 });
    second?.lose();
    expect(await at.backend.inspect?.('k')).toMatchObject({ held: false });
  });

  test('tells as an event of the key which node did not answer, and why', async () => {
    const at = await Bench.open();
    const [first] = at.nodes;
    if (first !== undefined) first.strange = SILENT;

    await at.backend.inspect?.('k');

    expect(at.events).toMatchObject([
      { type: 'node', node: first?.address, key: 'k', cause: SILENT },
    ]);
  });
});

test('a forced release is in doubt when it cleared one node, and nobody knows of the others', async () => {
  const at = await Bench.open();
  for (const node of at.nodes.slice(1)) node.isDown = true;

  expect(await at.backend.forceRelease?.('k')).toMatchObject({ kind: 'unknown' });
});

test('a vote that is gone at a renewal is told of by its key', async () => {
  const at = await Bench.open();
  const grant = await at.take('a');
  at.nodes[0]?.lose();

  await at.round(grant);

  expect(at.events).toContainEqual(
    expect.objectContaining({ type: 'node', outcome: 'gone', key: 'k' }),
  );
});

test('nobody is told of a healing that was refused', async () => {
  const at = await Bench.open();
  const grant = await at.take('a');
  const [first] = at.nodes;
  first?.give('b:1:other', 900);

  await at.round(grant);

  expect(at.told).toContain('n1 gone');
  expect(at.told).not.toContain('n1 healed');
});

test('a node that lets nobody subscribe is told of by key and cause', async () => {
  const at = await Bench.open();
  const [first] = at.nodes;
  if (first !== undefined) first.subscribe = () => Promise.reject(SILENT);
  const contender = at.contend('a');
  const waiting = new AbortController();

  void contender.changed?.(waiting.signal);
  await at.runtime.pass(1);
  waiting.abort();

  expect(at.events).toMatchObject([
    { type: 'node', outcome: 'no wake-ups', key: 'k', cause: SILENT },
  ]);
});

test('what cannot be opened says which backend it was, and how many nodes there are', async () => {
  const { host, nodes } = await Bench.open();

  await expect(openRedlock({}, host)).rejects.toMatchObject({ backend: 'redlock' });
  await expect(openRedlock({ nodes: nodes.slice(0, 1) }, host)).rejects.toThrow(
    /1 node is too few/,
  );
  await expect(openRedlock({ nodes: [] }, host)).rejects.toThrow(/0 nodes are too few/);
});

test('a release that is sent once more wakes the waiters', async () => {
  const at = await Bench.open();
  const grant = await at.take('a');
  const [first] = at.nodes;
  if (first === undefined) throw new Error('there is no node');
  let heard = 0;
  first.listeners.add(() => (heard += 1));
  first.isDown = true;
  await at.let(grant.release());

  first.isDown = false;
  await at.runtime.pass(500);

  expect(first.owner).toBeUndefined();
  expect(heard).toBe(1);
});
