import { describe, expect, test } from 'vitest';
import { Bench, CALL_MS } from '../../packages/redlock/test/support/bench.ts';
import { slow } from './support/slow-node.ts';

/** Checks that came of mutants which nothing else had noticed; see docs/evidence/mutation.md. */

const idle = (): void => {};

/** What is told of nodes when four take so long to agree, and the fifth so long. */
async function toldAfter(voteMs: number, nodeMs: number): Promise<unknown[]> {
  const at = await Bench.open();
  for (const node of at.nodes.slice(0, 4)) slow(at, node, 'acquire', voteMs);
  slow(at, at.nodes[4], 'acquire', nodeMs);
  await at.take('a');
  await at.runtime.pass(CALL_MS);
  return at.events.filter((event) => event.type === 'node');
}

describe('a node is told of as slow', () => {
  test.each([
    [0, 11],
    [10, 31],
  ])('where the vote took %i ms, and its answer %i', async (voteMs, nodeMs) => {
    expect(await toldAfter(voteMs, nodeMs)).toMatchObject([
      { outcome: 'slow', key: 'k', node: 'n5:6379', tookMs: nodeMs },
    ]);
  });

  test.each([
    [0, 10],
    [10, 20],
    [10, 30],
  ])('not where the vote took %i ms, and its answer %i', async (voteMs, nodeMs) => {
    expect(await toldAfter(voteMs, nodeMs)).toEqual([]);
  });

  test('not where it did not answer at all', async () => {
    const at = await Bench.open();
    at.nodes[4]?.mute();
    await at.take('a');

    await at.runtime.pass(2 * CALL_MS);

    expect(at.told).not.toContain('n5 slow');
  });
});

test('a vote that comes after its deadline is told of by key and cause, and given back aloud', async () => {
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

test('a node that could not be reached is told of by the key, once', async () => {
  const at = await Bench.open(3);
  const [first] = at.nodes;
  if (first !== undefined) first.isDown = true;
  for (const node of at.nodes.slice(1)) node.give('b:1:other', 500);

  await at.attempt(at.contend('a'));

  expect(at.events).toMatchObject([{ type: 'node', node: first?.address, key: 'k' }]);
});

describe('who waits', () => {
  test('leaves no listener on a signal that it waited with', async () => {
    const at = await Bench.open(3);
    const { signal } = new AbortController();
    const listeners = new Set<unknown>();
    signal.addEventListener = (_: string, listener: unknown) => void listeners.add(listener);
    signal.removeEventListener = (_: string, listener: unknown) => void listeners.delete(listener);

    await at.contend('a').changed?.(signal);

    expect(listeners.size).toBe(0);
  });

  test('and has withdrawn listens nowhere again', async () => {
    const at = await Bench.open(3);
    const contender = at.contend('a');
    const [first] = at.nodes;
    if (first === undefined) return;
    first.isDown = true;
    void contender.changed?.(new AbortController().signal);
    await at.runtime.pass(0);
    await contender.withdraw();
    let asked = 0;
    for (const node of at.nodes) {
      const subscribe = node.subscribe.bind(node);
      node.subscribe = (channel, listener) => {
        asked += 1;
        return subscribe(channel, listener);
      };
    }

    void contender.changed?.(new AbortController().signal);

    expect(asked).toBe(0);
  });

  test('and has withdrawn is told nothing of a subscription that fails', async () => {
    const at = await Bench.open(3);
    const contender = at.contend('a');
    const [first] = at.nodes;
    let fail: (cause: Error) => void = idle;
    if (first !== undefined)
      first.subscribe = () =>
        new Promise((_, reject) => {
          fail = reject;
        });
    void contender.changed?.(new AbortController().signal);
    await contender.withdraw();

    fail(new Error('not connected'));
    await at.runtime.pass(0);

    expect(at.events).toEqual([]);
  });
});
