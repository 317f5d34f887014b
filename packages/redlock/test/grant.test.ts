import { describe, expect, test } from 'vitest';
import { Bench, CALL_MS, TTL_MS } from './support/bench.ts';

const nothing = [undefined, undefined, undefined, undefined, undefined];
const all = (owner: string): string[] => Array.from({ length: 5 }, () => owner);

describe('a renewal', () => {
  test('is valid from when its round left, and resolves at the majority', async () => {
    const at = await Bench.open();
    const grant = await at.take('a');
    await at.runtime.pass(300);
    const from = at.runtime.now();
    for (const node of at.nodes.slice(0, 2)) node.stall();

    expect(await at.let(grant.renew(TTL_MS))).toEqual({
      kind: 'renewed',
      validity: { from, ms: TTL_MS - 12 },
    });
    expect(at.runtime.now()).toEqual(from);
  });

  test('is lost when so many nodes have lost it that no majority is left', async () => {
    const at = await Bench.open();
    const grant = await at.take('a');
    for (const node of at.nodes.slice(0, 3)) node.lose();

    expect(await at.round(grant)).toBe('lost');
    expect(at.owners.slice(0, 3)).toEqual([undefined, undefined, undefined]);
  });

  test('is unknown while the nodes that did not reply may make the majority', async () => {
    const at = await Bench.open();
    const grant = await at.take('a');
    for (const node of at.nodes.slice(0, 2)) node.lose();
    at.nodes[2]?.stall();

    expect(await at.round(grant)).toBe('unknown');
  });

  test('is not lost while replies of nodes are pending', async () => {
    const at = await Bench.open();
    for (const node of at.nodes.slice(3)) node.mute();
    const grant = await at.take('a');
    at.nodes[0]?.lose();

    expect((await at.let(grant.renew(TTL_MS))).kind).toBe('unknown');
    for (const node of at.nodes) node.heal();
    await at.runtime.pass(0);

    expect(await at.round(grant)).toBe('renewed');
  });

  test('does not end the vote of a node that did not reply: the next round asks again', async () => {
    const at = await Bench.open(3);
    const grant = await at.take('a');
    at.nodes[2]?.mute();
    await at.round(grant);
    at.nodes[2]?.heal();
    at.nodes[0]?.lose();

    expect(await at.round(grant)).toBe('renewed');
    expect(at.nodes[2]?.owner).toBe('a:1:box');
  });

  test('is worth nothing when no validity is left', async () => {
    const at = await Bench.open(3);
    const grant = await at.take('a');
    at.runtime.elapsedMs = () => TTL_MS - 12;

    expect((await at.let(grant.renew(TTL_MS))).kind).toBe('unknown');
  });

  test('counts no reply that arrives after its deadline', async () => {
    const at = await Bench.open(3);
    const grant = await at.take('a');
    const from = at.runtime.now();
    at.runtime.now = () => ({ ...from, monotonicMs: from.monotonicMs + elapsed });
    let elapsed = 0;
    for (const node of at.nodes) node.mute();
    const renewing = grant.renew(TTL_MS);
    elapsed = CALL_MS + 1;
    for (const node of at.nodes) node.heal();

    expect((await renewing).kind).toBe('unknown');
  });
});

describe('a release', () => {
  test('releases votes that healing acquired, and votes that came late', async () => {
    const at = await Bench.open();
    at.nodes[4]?.mute();
    const grant = await at.take('a');
    at.nodes[4]?.heal();
    at.nodes[0]?.lose();
    await at.round(grant);
    expect(at.owners).toEqual(['a:2:box', 'a:1:box', 'a:1:box', 'a:1:box', 'a:1:box']);

    expect(await at.let(grant.release())).toEqual({ kind: 'released' });
    expect(at.owners).toEqual(nothing);
  });

  test('resolves when a majority has replied, and continues with the others', async () => {
    const at = await Bench.open();
    const grant = await at.take('a');
    at.nodes[0]?.stall();
    const from = at.runtime.now();

    expect(await at.let(grant.release())).toEqual({ kind: 'released' });
    expect(at.runtime.now()).toEqual(from);
    at.nodes[0]?.heal();
    await at.runtime.pass(0);

    expect(at.owners).toEqual(nothing);
  });

  test('says not held if no majority can have been stored', async () => {
    const at = await Bench.open();
    const grant = await at.take('a');
    for (const node of at.nodes.slice(0, 3)) node.lose();

    expect(await at.let(grant.release())).toEqual({ kind: 'not-held' });
    expect(at.owners).toEqual(nothing);
  });

  test('in doubt says so, and is sent until it gets a reply', async () => {
    const at = await Bench.open();
    const grant = await at.take('a');
    for (const node of at.nodes.slice(0, 3)) node.isDown = true;

    expect((await at.let(grant.release())).kind).toBe('unknown');
    for (const node of at.nodes) node.isDown = false;
    await at.runtime.pass(500);

    expect(at.owners).toEqual(nothing);
    expect(at.runtime.timers.size).toBe(0);
  });

  test('in doubt ends when the votes must be gone by themselves', async () => {
    const at = await Bench.open();
    const grant = await at.take('a');
    for (const node of at.nodes) node.isDown = true;
    await at.let(grant.release());

    await at.runtime.pass(3 * TTL_MS);

    expect(at.runtime.timers.size).toBe(0);
  });

  test('can touch no later hold of the key', async () => {
    const at = await Bench.open();
    const grant = await at.take('a');
    await at.runtime.pass(TTL_MS);
    await at.take('b');

    expect(await at.let(grant.release())).toEqual({ kind: 'not-held' });
    expect(at.owners).toEqual(all('b:1:box'));
    expect(await at.round(grant)).toBe('lost');
  });

  test('still pending when the backend closes is tried once more', async () => {
    const at = await Bench.open();
    const grant = await at.take('a');
    for (const node of at.nodes) node.isDown = true;
    await at.let(grant.release());
    for (const node of at.nodes) node.isDown = false;

    await at.let(at.backend.close());

    expect(at.owners).toEqual(nothing);
    expect(at.runtime.timers.size).toBe(0);
  });
});
