import { NodeReplyError } from '@holdfast/redis/port';
import { describe, expect, test } from 'vitest';
import { Bench, CALL_MS, slowEach, TTL_MS, took } from './support/bench.ts';
import type { VotingNode } from './support/voting-node.ts';

const OVERWRITTEN = new NodeReplyError('WRONGTYPE', 'WRONGTYPE Operation against a key');

function asked(node: VotingNode | undefined, name: string): number {
  return node?.executed.filter((each) => each.name === name).length ?? 0;
}

/** Whether it has settled by now. */
async function isOver(at: Bench, work: Promise<unknown> | undefined): Promise<boolean> {
  let over = false;
  void work?.then(() => (over = true));
  await at.runtime.pass(0);
  return over;
}

describe('a release', () => {
  test('is over as soon as a majority has given the key back', async () => {
    const at = await Bench.open();
    const grant = await at.take('a');
    for (const node of at.nodes.slice(3)) node.mute();

    expect(await took(at, grant.release())).toBe(0);
  });

  test('is over as soon as a majority says that it does not hold', async () => {
    const at = await Bench.open();
    const grant = await at.take('a');
    for (const node of at.nodes.slice(0, 3)) node.lose();
    for (const node of at.nodes.slice(3)) node.mute();

    expect(await took(at, grant.release())).toBe(0);
  });

  test('waits for what may yet be a majority', async () => {
    const at = await Bench.open();
    const grant = await at.take('a');
    for (const node of at.nodes.slice(0, 2)) node.lose();
    for (const node of at.nodes.slice(2)) slowEach(at, node, 'release', () => 5);

    expect(await at.let(grant.release())).toEqual({ kind: 'released' });
  });

  test('is of what was not held where a majority says so, though another node is silent', async () => {
    const at = await Bench.open();
    const grant = await at.take('a');
    const [first] = at.nodes;
    if (first !== undefined) first.isDown = true;
    for (const node of at.nodes.slice(1, 4)) node.lose();

    expect(await at.let(grant.release())).toEqual({ kind: 'not-held' });
  });

  test('is in doubt where a minority did not hold, and one node is silent', async () => {
    const at = await Bench.open();
    const grant = await at.take('a');
    for (const node of at.nodes.slice(0, 2)) node.lose();
    for (const node of at.nodes.slice(4)) node.isDown = true;

    expect((await at.let(grant.release())).kind).toBe('unknown');
  });

  test('is of what was not held where the rest has never had it, and cannot be reached', async () => {
    const at = await Bench.open(3);
    at.nodes[2]?.give('b:1:other', 900);
    const grant = await at.take('a');
    at.nodes[0]?.lose();
    for (const node of at.nodes.slice(1)) node.isDown = true;

    expect(await at.let(grant.release())).toEqual({ kind: 'not-held' });
  });

  test('is in doubt where one lost it, one is silent, and of one nobody ever knew', async () => {
    const at = await Bench.open(3);
    at.nodes[2]?.stall();
    const grant = await at.take('a');
    await at.runtime.pass(2 * CALL_MS);
    at.nodes[0]?.lose();
    for (const node of at.nodes.slice(1)) node.isDown = true;

    expect((await at.let(grant.release())).kind).toBe('unknown');
  });

  test('of votes that were overwritten finds that they are not held', async () => {
    const at = await Bench.open(3);
    const grant = await at.take('a');
    for (const node of at.nodes) node.strange = OVERWRITTEN;

    expect(await at.let(grant.release())).toEqual({ kind: 'not-held' });
    expect(at.reported).toEqual([]);
  });

  test('tells of a node that did not answer where a vote may stand, and only there', async () => {
    const at = await Bench.open(3);
    at.nodes[2]?.give('b:1:other', 900);
    const grant = await at.take('a');
    for (const node of at.nodes.slice(1)) node.isDown = true;

    await at.let(grant.release());

    expect(at.reported.map((text) => text.split(' ')[0])).toEqual(['n2']);
  });

  test('is sent again for as long as a renewal may have lengthened the vote', async () => {
    const at = await Bench.open(3);
    const grant = await at.take('a');
    const [first] = at.nodes;
    if (first === undefined) return;
    await at.runtime.pass(600);
    await at.let(grant.renew(TTL_MS));
    await at.runtime.pass(300);
    first.isDown = true;
    await at.let(grant.release());
    await at.runtime.pass(300);
    first.isDown = false;

    await at.runtime.pass(350);

    expect(asked(first, 'release')).toBe(1);
  });

  test('may take a tenth of the ttl that was renewed for', async () => {
    const at = await Bench.open(3);
    const grant = await at.take('a');
    await at.round(grant, 5_000);
    for (const node of at.nodes) node.mute();

    expect(await took(at, grant.release())).toBe(500);
  });

  test('without an answer is sent again every two seconds at least', async () => {
    const at = await Bench.open(3);
    const grant = await at.take('a');
    await at.round(grant, 60_000);
    const [first] = at.nodes;
    if (first === undefined) return;
    const sentMs: number[] = [];
    at.runtime.jitter = 1;
    first.script = () => {
      sentMs.push(at.runtime.now().monotonicMs);
      return Promise.reject(new Error('no answer'));
    };
    await at.let(grant.release());
    await at.runtime.pass(50_000);

    const pausesMs = sentMs.slice(1).map((ms, i) => ms - (sentMs[i] ?? 0));
    expect(pausesMs.length).toBeGreaterThan(20);
    expect(Math.max(...pausesMs)).toBeLessThanOrEqual(2_000);
  });
});

describe('closing waits for', () => {
  test('a vote that is still to come', async () => {
    const at = await Bench.open();
    at.nodes[4]?.mute();
    await at.take('a');

    const closing = at.backend.close();
    expect(await isOver(at, closing)).toBe(false);
    at.nodes[4]?.heal();

    expect(await isOver(at, closing)).toBe(true);
  });

  test('the votes that a lost vote releases', async () => {
    const at = await Bench.open();
    for (const node of at.nodes.slice(0, 3)) node.give('b:1:other', 900);
    if (at.nodes[3] !== undefined) at.nodes[3].stallAt = 'release';
    await at.let(at.contend('a').attempt(at.runtime.now().monotonicMs + 20));

    const closing = at.backend.close();
    expect(await isOver(at, closing)).toBe(false);
    at.nodes[3]?.heal();

    expect(await isOver(at, closing)).toBe(true);
  });

  test('a release that a majority has answered', async () => {
    const at = await Bench.open();
    const grant = await at.take('a');
    at.nodes[4]?.mute();
    await at.let(grant.release());

    const closing = at.backend.close();
    expect(await isOver(at, closing)).toBe(false);
    at.nodes[4]?.heal();

    expect(await isOver(at, closing)).toBe(true);
  });

  test('a healing that is under way', async () => {
    const at = await Bench.open();
    const grant = await at.take('a');
    const [first] = at.nodes;
    first?.lose();
    if (first !== undefined) first.stallAt = 'acquire';
    await at.let(grant.renew(TTL_MS));

    const closing = at.backend.close();
    expect(await isOver(at, closing)).toBe(false);
    first?.heal();

    expect(await isOver(at, closing)).toBe(true);
  });
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
