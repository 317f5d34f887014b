import { NodeReplyError } from '@holdfast/redis/port';
import { describe, expect, test } from 'vitest';
import { Bench, CALL_MS, slowEach, TTL_MS, took } from './support/bench.ts';
import type { VotingNode } from './support/voting-node.ts';

const DRIFT_MS = 12;
const OVERWRITTEN = new NodeReplyError('WRONGTYPE', 'WRONGTYPE Operation against a key');

function asked(node: VotingNode | undefined, name: string): number {
  return node?.executed.filter((each) => each.name === name).length ?? 0;
}

describe('a renewal', () => {
  test('is worth its last millisecond', async () => {
    const at = await Bench.open(3);
    const grant = await at.take('a');
    at.runtime.elapsedMs = () => TTL_MS - DRIFT_MS - 1;

    expect((await at.let(grant.renew(TTL_MS))).kind).toBe('renewed');
  });

  test('counts what is answered at the very deadline', async () => {
    const at = await Bench.open(3);
    const grant = await at.take('a');
    for (const node of at.nodes) node.mute();
    const renewing = grant.renew(TTL_MS);
    await at.runtime.pass(0);

    at.runtime.block(CALL_MS);
    for (const node of at.nodes) node.heal();

    expect((await at.let(renewing)).kind).toBe('renewed');
  });

  test('asks no node to lengthen a vote that it never gave', async () => {
    const at = await Bench.open(3);
    at.nodes[2]?.give('b:1:other', 900);
    const grant = await at.take('a');

    await at.round(grant);

    expect(at.nodes.map((node) => asked(node, 'renew'))).toEqual([1, 1, 0]);
  });

  test('is lost as soon as so many say so, whatever the others may say', async () => {
    const at = await Bench.open();
    const grant = await at.take('a');
    for (const node of at.nodes.slice(0, 3)) node.lose();
    for (const node of at.nodes.slice(3)) node.mute();

    expect(await took(at, grant.renew(TTL_MS))).toBe(0);
  });

  test('is lost where most votes were overwritten by something else', async () => {
    const at = await Bench.open();
    const grant = await at.take('a');
    for (const node of at.nodes.slice(0, 3)) node.strange = OVERWRITTEN;

    expect((await at.let(grant.renew(TTL_MS))).kind).toBe('lost');
    expect(at.reported).toContain('n1 gone');
  });

  test('tells which node did not answer', async () => {
    const at = await Bench.open(3);
    const grant = await at.take('a');
    const [first] = at.nodes;
    if (first !== undefined) first.isDown = true;

    await at.let(grant.renew(TTL_MS));

    expect(at.events).toMatchObject([{ type: 'node', node: first?.address, key: 'k' }]);
  });

  test('of which a node says late that its vote was gone takes away no vote that it has given since', async () => {
    const at = await Bench.open(3);
    const grant = await at.take('a');
    const [first] = at.nodes;
    let n = 0;
    slowEach(at, first, 'renew', () => (n++ === 0 ? 10 : 50));
    first?.lose();

    await at.let(grant.renew(TTL_MS));
    await at.let(grant.renew(TTL_MS));
    await at.runtime.pass(CALL_MS);

    expect([first?.owner, asked(first, 'acquire')]).toEqual(['a:2:box', 2]);
  });

  test('whose answer that a vote was gone is overtaken by that of the next takes away no vote given since', async () => {
    const at = await Bench.open(3);
    const grant = await at.take('a');
    const [first] = at.nodes;
    let n = 0;
    slowEach(at, first, 'renew', () => (n++ === 0 ? 50 : 10));
    first?.lose();

    await at.let(grant.renew(TTL_MS));
    await at.let(grant.renew(TTL_MS));
    await at.runtime.pass(CALL_MS);
    await at.round(grant);

    expect([first?.owner, asked(first, 'acquire')]).toEqual(['a:2:box', 2]);
  });

  test('that healed a node tells of it by key and time', async () => {
    const at = await Bench.open(3);
    const grant = await at.take('a');
    at.nodes[0]?.lose();
    slowEach(at, at.nodes[0], 'acquire', () => 7);

    await at.round(grant);

    expect(at.events).toContainEqual(
      expect.objectContaining({ outcome: 'healed', key: 'k', tookMs: 7 }),
    );
  });
});
