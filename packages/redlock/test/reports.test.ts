import { NodeDoubt } from '@holdfast/redis/port';
import { describe, expect, test } from 'vitest';
import { Bench, CALL_MS, slow } from './support/bench.ts';

const SILENT = new NodeDoubt('no answer', 'none', Promise.resolve(false));

/** The events about nodes if four take `voteMs` to agree, and the fifth `nodeMs`. */
async function eventsAfter(voteMs: number, nodeMs: number): Promise<unknown[]> {
  const at = await Bench.open();
  for (const node of at.nodes.slice(0, 4)) slow(at, node, 'acquire', voteMs);
  slow(at, at.nodes[4], 'acquire', nodeMs);
  await at.take('a');
  await at.runtime.pass(CALL_MS);
  return at.events.filter((event) => event.type === 'node');
}

describe('a node is reported as slow', () => {
  test.each([
    [0, 11],
    [10, 31],
  ])('if the vote took %i ms, and its reply %i', async (voteMs, nodeMs) => {
    expect(await eventsAfter(voteMs, nodeMs)).toMatchObject([
      { outcome: 'slow', key: 'k', node: 'n5:6379', tookMs: nodeMs },
    ]);
  });

  test.each([
    [0, 10],
    [10, 20],
    [10, 30],
  ])('not if the vote took %i ms, and its reply %i', async (voteMs, nodeMs) => {
    expect(await eventsAfter(voteMs, nodeMs)).toEqual([]);
  });

  test('not if it did not reply at all', async () => {
    const at = await Bench.open();
    at.nodes[4]?.mute();
    await at.take('a');

    await at.runtime.pass(2 * CALL_MS);

    expect(at.reported).not.toContain('n5 slow');
  });
});

test('a vote that comes after its deadline is reported with key and cause, and released with a notification', async () => {
  const at = await Bench.open(3);
  const [first] = at.nodes;
  slow(at, first, 'acquire', CALL_MS + 1);
  let heard = 0;
  first?.listeners.add(() => (heard += 1));
  await at.take('a');

  await at.runtime.pass(2 * CALL_MS);

  expect(at.events).toContainEqual(
    expect.objectContaining({ outcome: 'late', key: 'k', cause: expect.any(Error) }),
  );
  expect([first?.owner, heard]).toEqual([undefined, 1]);
});

test('a node that could not be reached is reported with the key, once', async () => {
  const at = await Bench.open(3);
  const [first] = at.nodes;
  if (first !== undefined) first.isDown = true;
  for (const node of at.nodes.slice(1)) node.give('b:1:other', 500);

  await at.attempt(at.contend('a'));

  expect(at.events).toMatchObject([{ type: 'node', node: first?.address, key: 'k' }]);
});

test('a vote that is gone at a renewal is reported with its key', async () => {
  const at = await Bench.open();
  const grant = await at.take('a');
  at.nodes[0]?.lose();

  await at.round(grant);

  expect(at.events).toContainEqual(
    expect.objectContaining({ type: 'node', outcome: 'gone', key: 'k' }),
  );
});

test('a healing that was refused is not reported', async () => {
  const at = await Bench.open();
  const grant = await at.take('a');
  const [first] = at.nodes;
  first?.give('b:1:other', 900);

  await at.round(grant);

  expect(at.reported).toContain('n1 gone');
  expect(at.reported).not.toContain('n1 healed');
});

test('a node that refuses a subscription is reported with key and cause', async () => {
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
