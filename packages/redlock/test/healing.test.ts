import { describe, expect, test } from 'vitest';
import { Bench, CALL_MS, TTL_MS } from './support/bench.ts';

const nothing = [undefined, undefined, undefined, undefined, undefined];

describe('healing', () => {
  test('takes the votes that were missing under the next n, for the next round', async () => {
    const at = await Bench.open();
    const grant = await at.take('a');
    at.nodes[3]?.lose();

    expect(await at.round(grant)).toBe('renewed');
    expect(at.owners).toEqual(['a:1:box', 'a:1:box', 'a:1:box', 'a:2:box', 'a:1:box']);
    expect(at.reported).toEqual(['n4 gone', 'n4 healed']);
    for (const node of at.nodes.slice(0, 2)) node.lose();

    expect(await at.round(grant)).toBe('renewed');
  });

  test('never carries the round that does it: what nobody held before it stays lost', async () => {
    const at = await Bench.open();
    const grant = await at.take('a');
    await at.backend.forceRelease?.('k');

    expect(await at.round(grant)).toBe('lost');
    expect(at.owners).toEqual(nothing);
  });

  test('restores no lease whose majority was taken away while one of its nodes is silent', async () => {
    const at = await Bench.open();
    const grant = await at.take('a');
    for (const node of at.nodes.slice(0, 3)) node.lose();
    at.nodes[2]?.mute();

    expect(await at.round(grant)).toBe('unknown');
    expect(await at.round(grant)).toBe('unknown');
    at.nodes[2]?.heal();

    expect(await at.round(grant)).toBe('lost');
  });

  test('goes on where the silent node turns out to have kept its vote', async () => {
    const at = await Bench.open();
    const grant = await at.take('a');
    for (const node of at.nodes.slice(0, 2)) node.lose();
    at.nodes[2]?.mute();
    expect(await at.round(grant)).toBe('unknown');
    expect(at.owners.slice(0, 2)).toEqual([undefined, undefined]);
    at.nodes[2]?.heal();

    expect(await at.round(grant)).toBe('renewed');
    expect(at.owners.slice(0, 2)).toEqual(['a:2:box', 'a:2:box']);
  });

  test('brings in nodes that never voted, though a round of the others is in doubt', async () => {
    const at = await Bench.open();
    const contender = at.contend('a');
    for (const node of at.nodes.slice(3)) node.isDown = true;
    const attempt = await at.attempt(contender);
    const grant = attempt.kind === 'granted' ? attempt.grant : undefined;
    for (const node of at.nodes.slice(3)) node.isDown = false;
    at.nodes[0]?.stall();

    expect((await at.let(Promise.resolve(grant?.renew?.(TTL_MS))))?.kind).toBe('unknown');
    await at.runtime.pass(CALL_MS);

    expect((await at.let(Promise.resolve(grant?.renew?.(TTL_MS))))?.kind).toBe('renewed');
  });

  test('takes no node from another contender', async () => {
    const at = await Bench.open();
    const grant = await at.take('a');
    at.nodes[0]?.lose();
    at.nodes[0]?.give('b:1:box', 5 * TTL_MS);

    expect(await at.round(grant)).toBe('renewed');
    expect(at.nodes[0]?.owner).toBe('b:1:box');
  });

  test('a late undo of the attempt, on a node that was healed, takes away no vote that counts', async () => {
    const at = await Bench.open();
    const contender = at.contend('a');
    for (const node of at.nodes.slice(3)) node.stall();
    const attempt = await at.attempt(contender);
    const grant = attempt.kind === 'granted' ? attempt.grant : undefined;
    await at.runtime.pass(CALL_MS);
    // A new connection overtakes the one on which attempt and undo are still on their way.
    const late = at.nodes.slice(3).map((node) => node.divert());
    expect(await at.let(Promise.resolve(grant?.renew?.(TTL_MS)))).toMatchObject({
      kind: 'renewed',
    });
    await at.runtime.pass(CALL_MS);
    expect(at.owners.slice(3)).toEqual(['a:2:box', 'a:2:box']);

    for (const arrive of late) arrive();
    await at.runtime.pass(0);

    expect(at.nodes[4]?.executed.map(({ name }) => name).slice(-2)).toEqual(['acquire', 'undo']);
    expect(at.owners.slice(3)).toEqual(['a:2:box', 'a:2:box']);
    expect((await at.attempt(at.contend('b'))).kind).toBe('busy');
  });

  test('a vote for which an undo was sent does not count, though it still stands', async () => {
    const at = await Bench.open();
    const contender = at.contend('a');
    for (const node of at.nodes.slice(3)) node.mute();
    const attempt = await at.attempt(contender);
    const grant = attempt.kind === 'granted' ? attempt.grant : undefined;
    // Applied, but the reply is lost; and the undo stays on the wire.
    for (const node of at.nodes.slice(3)) node.stall();
    await at.runtime.pass(CALL_MS);
    const late = at.nodes.slice(3).map((node) => node.divert());
    expect(at.owners.slice(3)).toEqual(['a:1:box', 'a:1:box']);
    await at.let(Promise.resolve(grant?.renew?.(TTL_MS)));
    await at.runtime.pass(CALL_MS);

    for (const arrive of late) arrive();

    expect(at.owners.slice(3)).toEqual(['a:2:box', 'a:2:box']);
  });

  test('of a node that says late that it lost its data is done in the same round', async () => {
    const at = await Bench.open();
    const grant = await at.take('a');
    at.nodes[0]?.lose();
    at.nodes[0]?.mute();
    expect((await at.let(grant.renew(TTL_MS))).kind).toBe('renewed');
    await at.runtime.pass(CALL_MS / 2);
    at.nodes[0]?.heal();
    await at.runtime.pass(0);

    expect(at.nodes[0]?.owner).toBe('a:2:box');
  });

  test('that is answered too late does not count, and is tried again under another n', async () => {
    const at = await Bench.open();
    const grant = await at.take('a');
    const [first] = at.nodes;
    if (first !== undefined) first.stallAt = 'acquire';
    first?.lose();
    expect(await at.round(grant)).toBe('renewed');
    first?.heal();
    await at.runtime.pass(0);
    expect(first?.executed.slice(-2)).toEqual([
      { name: 'acquire', owner: 'a:2:box' },
      { name: 'undo', owner: 'a:2:box' },
    ]);

    expect(await at.round(grant)).toBe('renewed');

    const asked = first?.executed
      .filter(({ name }) => name === 'acquire')
      .map(({ owner }) => owner);
    expect(new Set(asked).size).toBe(asked?.length);
  });

  test('keeps a long lease through restarts of all nodes but two, one at a time, and lets nobody in', async () => {
    const at = await Bench.open();
    const grant = await at.take('a');
    for (const node of at.nodes.slice(0, 3)) {
      node.lose();
      expect((await at.attempt(at.contend('b'))).kind).toBe('busy');
      expect(await at.round(grant)).toBe('renewed');
      expect((await at.attempt(at.contend('b'))).kind).toBe('busy');
    }
    for (const node of at.nodes.slice(3)) node.lose();

    expect(await at.round(grant)).toBe('renewed');
  });

  test('under way when the hold is released leaves nothing behind', async () => {
    const at = await Bench.open();
    const grant = await at.take('a');
    const [first] = at.nodes;
    if (first !== undefined) first.stallAt = 'acquire';
    first?.lose();
    await at.let(grant.renew(TTL_MS));
    expect(await at.let(grant.release())).toEqual({ kind: 'released' });
    at.nodes[0]?.heal();
    await at.runtime.pass(2 * CALL_MS);

    expect(at.owners).toEqual(nothing);
  });
});

describe('a healing', () => {
  test('is not begun when the hold has been released meanwhile', async () => {
    const at = await Bench.open();
    const grant = await at.take('a');
    at.nodes[0]?.lose();
    at.nodes[1]?.mute();
    await at.let(grant.renew(TTL_MS));
    await at.let(grant.release());
    at.nodes[1]?.heal();
    await at.runtime.pass(2 * CALL_MS);

    const asked = at.nodes[0]?.executed.filter(({ name }) => name === 'acquire');
    expect(asked).toHaveLength(1);
    expect(at.owners).toEqual(nothing);
  });

  test('that came too late is released again and again, which never touches the next', async () => {
    const at = await Bench.open();
    const grant = await at.take('a');
    const [first] = at.nodes;
    if (first === undefined) return;
    // Agrees after the deadline, without an undo, and then cannot be reached to take it back.
    const script = first.script.bind(first);
    first.script = async (named, keys, args, options) => {
      const reply = await script(named, keys, args, options);
      if (named.name !== 'acquire' || reply !== 'agreed') return reply;
      first.script = script;
      first.isDown = true;
      await new Promise<void>((done) => at.runtime.timer(CALL_MS + 1, done));
      return reply;
    };
    first.lose();
    await at.round(grant);
    expect(first.owner).toBe('a:2:box');
    first.isDown = false;
    expect((await at.let(grant.renew(TTL_MS))).kind).toBe('renewed');

    await at.runtime.pass(3 * CALL_MS);

    expect(first.owner).toBe('a:3:box');
  });
});
