import { BackendUnavailableError, LockError } from '@holdfast/core';
import { NodeDoubt, NodeReplyError } from '@holdfast/redis/port';
import { describe, expect, test } from 'vitest';
import { Bench, TTL_MS } from './support/bench.ts';
import type { VotingNode } from './support/voting-node.ts';

test('inspect shows who has a majority, with what a majority of the votes has left', async () => {
  const at = await Bench.open();
  await at.take('a');
  at.nodes[0]?.lose();

  expect(await at.backend.inspect?.('k')).toEqual({
    key: 'k',
    held: true,
    owner: 'a:1:box',
    holder: 'box',
    remainingMs: TTL_MS,
  });
});

test('inspect counts the votes of one hold together, whatever their n', async () => {
  const at = await Bench.open();
  const grant = await at.take('a');
  for (const node of at.nodes.slice(0, 2)) node.lose();
  await at.round(grant);
  at.nodes[2]?.lose();

  expect(await at.backend.inspect?.('k')).toMatchObject({ held: true });
});

test('inspect does not take a minority for a hold', async () => {
  const at = await Bench.open();
  for (const node of at.nodes.slice(0, 2)) node.give('a:1:box', 500);

  expect(await at.backend.inspect?.('k')).toEqual({ key: 'k', held: false });
});

test('inspect says that it cannot say where no majority answers', async () => {
  const at = await Bench.open();
  for (const node of at.nodes.slice(0, 3)) node.isDown = true;

  await expect(at.backend.inspect?.('k')).rejects.toThrow(BackendUnavailableError);
});

test('inspect refuses what is no lock on a majority', async () => {
  const at = await Bench.open();
  for (const node of at.nodes.slice(0, 3))
    node.strange = new NodeReplyError('WRONGTYPE', 'WRONGTYPE …');

  await expect(at.backend.inspect?.('k')).rejects.toMatchObject({
    code: 'FOREIGN_KEY',
    key: 'k',
    backend: 'redlock',
    message: expect.stringContaining(at.nodes[0]?.address ?? ''),
  });
});

test('forceRelease takes the lock away, and says whether anybody had it', async () => {
  const at = await Bench.open();
  await at.take('a');
  at.nodes[0]?.stall();

  expect(await at.let(at.backend.forceRelease?.('k') ?? Promise.reject())).toEqual({
    kind: 'released',
  });
  expect(at.owners.slice(1)).toEqual([undefined, undefined, undefined, undefined]);
});

test('forceRelease of what nobody holds says so', async () => {
  const at = await Bench.open();

  expect(await at.backend.forceRelease?.('k')).toEqual({ kind: 'not-held' });
});

test('forceRelease that reached only some nodes is in doubt', async () => {
  const at = await Bench.open();
  await at.take('a');
  for (const node of at.nodes.slice(0, 3)) node.isDown = true;

  expect(await at.backend.forceRelease?.('k')).toMatchObject({ kind: 'unknown' });
});

test('forceRelease leaves alone what was never a lock', async () => {
  const at = await Bench.open();
  for (const node of at.nodes.slice(0, 2)) node.strange = -2;
  for (const node of at.nodes.slice(2, 3))
    node.strange = new NodeReplyError('WRONGTYPE', 'WRONGTYPE …');

  await expect(at.backend.forceRelease?.('k')).rejects.toThrow(LockError);
});

test('health tells of every node, and is well while a majority answers', async () => {
  const at = await Bench.open();
  for (const node of at.nodes.slice(0, 2)) node.isDown = true;

  const well = await at.backend.health?.();
  expect(well?.ok).toBe(true);
  expect(well?.nodes.map(({ ok }) => ok)).toEqual([false, false, true, true, true]);
  for (const node of at.nodes.slice(0, 3)) node.isDown = true;

  expect((await at.backend.health?.())?.ok).toBe(false);
});

const SILENT = new NodeDoubt('no answer', 'none', Promise.resolve(false));

function down(nodes: readonly VotingNode[]): void {
  for (const node of nodes) node.isDown = true;
}

function strange(nodes: readonly VotingNode[], reply: VotingNode['strange']): void {
  for (const node of nodes) node.strange = reply;
}

describe('an inspection', () => {
  test('is enough with a bare majority, and then any of its votes may be the last', async () => {
    const at = await Bench.open();
    down(at.nodes.slice(0, 2));
    at.nodes[2]?.give('a:1:box', 900);
    at.nodes[3]?.give('a:1:box', 500);

    expect(await at.backend.inspect?.('k')).toMatchObject({ held: true, remainingMs: 900 });
  });

  test.each([[['a:1:box', 'soon']], [['a:1:box', null]], [[7, 500]], ['a:1:box']])(
    'takes an answer like %j for none',
    async (reply) => {
      const at = await Bench.open();
      strange(at.nodes, reply);

      await expect(at.backend.inspect?.('k')).rejects.toThrow(BackendUnavailableError);
    },
  );

  test('takes a node on which nothing stands for no vote', async () => {
    const at = await Bench.open();
    strange(at.nodes, [null, 500]);

    expect(await at.backend.inspect?.('k')).toEqual({ key: 'k', held: false });
  });

  test('goes by the others where one node has something foreign', async () => {
    const at = await Bench.open();
    await at.take('a');
    strange(at.nodes.slice(0, 1), -2);

    expect(await at.backend.inspect?.('k')).toMatchObject({ held: true });
  });

  test('that fails says how many answered, about which key, and why', async () => {
    const at = await Bench.open();
    const [first] = at.nodes;
    down(at.nodes.slice(0, 3));

    await expect(at.backend.inspect?.('k')).rejects.toMatchObject({
      message: expect.stringContaining('2 of 5 nodes replied about key "k", and 3 are needed'),
      key: 'k',
      backend: 'redlock',
      cause: expect.objectContaining({ message: `${first?.address}: not connected` }),
    });
  });

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

describe('a forced release', () => {
  test('is done when a bare majority is cleared', async () => {
    const at = await Bench.open();
    await at.take('a');
    down(at.nodes.slice(0, 2));

    expect(await at.backend.forceRelease?.('k')).toEqual({ kind: 'released' });
  });

  test('fails where nothing was sent', async () => {
    const at = await Bench.open();
    down(at.nodes);

    await expect(at.backend.forceRelease?.('k')).rejects.toMatchObject({
      code: 'BACKEND_UNAVAILABLE',
    });
  });

  test('is in doubt where something was sent, and nobody answered', async () => {
    const at = await Bench.open();
    strange(at.nodes, SILENT);

    expect(await at.backend.forceRelease?.('k')).toMatchObject({ kind: 'unknown' });
  });

  test('fails where one node has something foreign, and nothing was sent to the others', async () => {
    const at = await Bench.open();
    strange(at.nodes.slice(0, 1), -2);
    down(at.nodes.slice(1));

    await expect(at.backend.forceRelease?.('k')).rejects.toMatchObject({
      code: 'BACKEND_UNAVAILABLE',
    });
  });

  test('is in doubt where a single node may have done it', async () => {
    const at = await Bench.open();
    strange(at.nodes.slice(0, 1), SILENT);
    down(at.nodes.slice(1));

    expect(await at.backend.forceRelease?.('k')).toMatchObject({ kind: 'unknown' });
  });

  test('finds nothing foreign on a node that had nothing', async () => {
    const at = await Bench.open();
    strange(at.nodes.slice(2, 3), -2);
    down(at.nodes.slice(3));

    expect(await at.backend.forceRelease?.('k')).toMatchObject({ kind: 'unknown' });
  });

  test('is in doubt when it cleared one node, and nobody knows of the others', async () => {
    const at = await Bench.open();
    for (const node of at.nodes.slice(1)) node.isDown = true;

    expect(await at.backend.forceRelease?.('k')).toMatchObject({ kind: 'unknown' });
  });
});

test('health tells how long each node took, or what it said instead', async () => {
  const at = await Bench.open(3);
  const [first, second, third] = at.nodes;
  if (first === undefined || second === undefined || third === undefined) return;
  first.isDown = true;
  second.mute();
  const asking = at.backend.health?.();
  await at.runtime.pass(3);
  second.heal();

  expect(await asking).toEqual({
    ok: true,
    nodes: [
      { node: first.address, ok: false, detail: `${first.address}: not connected` },
      { node: second.address, ok: true, roundTripMs: 3 },
      { node: third.address, ok: true, roundTripMs: 0 },
    ],
  });
});
