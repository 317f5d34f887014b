import { BackendUnavailableError } from '@holdfast/core';
import { NodeDoubt } from '@holdfast/redis/port';
import { describe, expect, test } from 'vitest';
import { Bench } from '../../packages/redlock/test/support/bench.ts';
import type { VotingNode } from '../../packages/redlock/test/support/voting-node.ts';

/** Checks that came of mutants which nothing else had noticed; see docs/evidence/mutation.md. */

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
      message: expect.stringContaining('2 of 5 nodes answered about key "k", and 3 are needed'),
      key: 'k',
      backend: 'redlock',
      cause: expect.objectContaining({ message: `${first?.address}: not connected` }),
    });
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
