import { LockLostError } from '@holdfast/core';
import { describe, expect, test } from 'vitest';
import { exportedAt, exportedVotes } from '../src/store.ts';
import { Bench, CALL_MS, slow, TTL_MS } from './support/bench.ts';

/** The outcome of one attempt. */
async function adopted(at: Bench, contender: string, exported: string): Promise<string> {
  return (await at.attempt(at.adopt(contender, exported))).kind;
}

describe('an export', () => {
  test('is the owner value, with the n of each node where healing has made them differ', async () => {
    const at = await Bench.open();
    const grant = await at.take('web');
    at.nodes[1]?.lose();
    expect(await at.round(grant)).toBe('renewed');
    expect(at.owners).toEqual([1, 2, 1, 1, 1].map((n) => `web:${n}:box`));

    expect(grant.export()).toBe('web:1,2,1,1,1:box');
    expect([1, 2, 5].map((place) => exportedAt('web:1,2,1,1,1:a:3:b', place))).toEqual([
      'web.1:1:a:3:b',
      'web.2:2:a:3:b',
      'web.5:1:a:3:b',
    ]);
    expect(exportedVotes('web:1:a:3:b', ['web.1:4:a:3:b', 'web.2:4:a:3:b'])).toBe('web:4:a:3:b');
    expect(exportedVotes('web:1:a', ['web.1:4:a'])).toBe('web:4:a');
    expect(exportedAt('web:4:a:3:b', 2)).toBe('web.2:4:a:3:b');
    expect(exportedAt('no owner value', 1)).not.toContain('no owner value');
  });

  test('ends the healing, and a vote that comes after it is released', async () => {
    const at = await Bench.open();
    const grant = await at.take('web');
    at.nodes[1]?.lose();
    slow(at, at.nodes[1], 'acquire', CALL_MS / 2);
    expect((await at.let(grant.renew(TTL_MS))).kind).toBe('renewed');
    expect(at.owners[1]).toBe('web:2:box');

    grant.export();
    at.nodes[2]?.lose();
    await at.runtime.pass(2 * CALL_MS);

    expect(at.owners).toEqual(['web:1:box', undefined, undefined, 'web:1:box', 'web:1:box']);
  });
});

describe('an adoption', () => {
  test('replaces the vote of every node, and a second one is refused', async () => {
    const at = await Bench.open();
    const grant = await at.take('web');
    const exported = grant.export();

    expect(await adopted(at, 'worker', exported)).toBe('granted');
    await at.runtime.pass(0);
    expect(at.owners).toEqual(at.nodes.map(() => 'worker:1:box'));

    const second = await at.attempt(at.adopt('other', exported));
    expect(second.kind === 'refused' && second.error).toBeInstanceOf(LockLostError);
    expect((await at.let(grant.renew(TTL_MS))).kind).toBe('lost');
    expect(await at.let(grant.release())).toEqual({ kind: 'not-held' });
    expect(at.owners).toEqual(at.nodes.map(() => 'worker:1:box'));
  });

  test('needs a majority of exported votes: free ones are not taken', async () => {
    const at = await Bench.open();
    const exported = (await at.take('web')).export();
    for (const node of at.nodes.slice(0, 3)) node.lose();
    const contender = at.adopt('worker', exported);

    expect((await at.attempt(contender)).kind).toBe('refused');
    expect(at.owners).toEqual([undefined, undefined, undefined, 'worker:1:box', 'worker:1:box']);

    expect(await at.let(contender.withdraw())).toEqual({ kind: 'clean' });
    expect(at.owners).toEqual(at.nodes.map(() => undefined));
  });

  test('is lost for good only once no majority can have an exported vote', async () => {
    const at = await Bench.open();
    const exported = (await at.take('web')).export();
    const [first, second, third] = at.nodes;
    for (const node of [first, second]) node?.lose();
    if (third !== undefined) third.isDown = true;
    const contender = at.adopt('worker', exported);
    expect((await at.attempt(contender)).kind).toBe('unknown');
    if (third !== undefined) third.isDown = false;

    expect((await at.attempt(contender)).kind).toBe('granted');
  });

  test('gets missing votes by healing, with the next renewal', async () => {
    const at = await Bench.open();
    const exported = (await at.take('web')).export();
    for (const node of at.nodes.slice(0, 2)) node.lose();
    const attempt = await at.attempt(at.adopt('worker', exported));
    if (attempt.kind !== 'granted') throw new Error(attempt.kind);
    const grant = attempt.grant as Required<typeof attempt.grant>;

    expect(await at.round(grant)).toBe('renewed');

    expect(at.owners).toEqual([2, 2, 1, 1, 1].map((n) => `worker:${n}:box`));
    expect(await adopted(at, 'next', grant.export())).toBe('granted');
    await at.runtime.pass(0);
    expect(at.owners).toEqual(at.nodes.map(() => 'next:1:box'));
  });

  test('keeps votes without a majority for its next attempt, which replaces them', async () => {
    const at = await Bench.open();
    const exported = (await at.take('web')).export();
    for (const node of at.nodes.slice(2)) node.stall();
    const contender = at.adopt('worker', exported);
    expect((await at.attempt(contender)).kind).toBe('unknown');
    expect(at.owners.slice(0, 2)).toEqual(['worker:1:box', 'worker:1:box']);
    // What is on its way is overtaken by the next attempt.
    const arrive = at.nodes.slice(2).map((node) => node.divert());

    const attempt = await at.attempt(contender);

    expect(attempt.kind).toBe('granted');
    for (const run of arrive) run();
    await at.runtime.pass(CALL_MS);
    expect(at.owners).toEqual(at.nodes.map(() => 'worker:2:box'));
    expect(
      at.nodes.flatMap(({ executed }) => executed.filter(({ name }) => name === 'undo')),
    ).toEqual([]);
  });

  test('whose replies are lost finds its own votes again', async () => {
    const at = await Bench.open();
    const exported = (await at.take('web')).export();
    for (const node of at.nodes) node.mute();
    const contender = at.adopt('worker', exported);
    expect((await at.attempt(contender)).kind).toBe('unknown');
    expect(at.owners).toEqual(at.nodes.map(() => 'worker:1:box'));
    for (const node of at.nodes) node.heal();
    // By then a release of doubtful votes would have been sent.
    await at.runtime.pass(CALL_MS);

    const attempt = await at.attempt(contender);

    expect(attempt.kind).toBe('granted');
    await at.runtime.pass(CALL_MS);
    expect(at.owners).toEqual(at.nodes.map(() => 'worker:2:box'));
  });

  test('that comes late counts only from the next attempt', async () => {
    const at = await Bench.open(3);
    const exported = (await at.take('web')).export();
    for (const node of at.nodes) slow(at, node, 'adopt', CALL_MS + 1);
    const contender = at.adopt('worker', exported);

    expect((await at.attempt(contender)).kind).toBe('unknown');
    await at.runtime.pass(CALL_MS);
    expect(at.owners).toEqual(at.nodes.map(() => 'worker:1:box'));

    expect(await at.let(contender.withdraw())).toEqual({ kind: 'clean' });
    expect(at.owners).toEqual(at.nodes.map(() => undefined));
  });

  test('given up in doubt releases every value that it may have stored', async () => {
    const at = await Bench.open();
    const exported = (await at.take('web')).export();
    for (const node of at.nodes.slice(0, 3)) node.mute();
    for (const node of at.nodes.slice(3)) node.isDown = true;
    const contender = at.adopt('worker', exported);
    expect((await at.attempt(contender)).kind).toBe('unknown');
    for (const node of at.nodes.slice(0, 3)) node.heal();

    expect(await at.let(contender.withdraw())).toMatchObject({ kind: 'unknown' });
    await at.runtime.pass(CALL_MS);

    expect(at.owners.slice(0, 3)).toEqual([undefined, undefined, undefined]);
  });

  test('that reached no node is unavailable, and the lease can still be adopted', async () => {
    const at = await Bench.open();
    const exported = (await at.take('web')).export();
    for (const node of at.nodes.slice(0, 3)) node.isDown = true;
    for (const node of at.nodes.slice(3)) node.lose();
    const contender = at.adopt('worker', exported);

    expect((await at.attempt(contender)).kind).toBe('unavailable');
    expect(await at.let(contender.withdraw())).toEqual({ kind: 'clean' });
    for (const node of at.nodes) node.isDown = false;

    expect(await adopted(at, 'next', exported)).toBe('granted');
  });

  test.each([0, 1, 2, 3, 4, 5])(
    'of two at once one wins, and the other frees its votes: %i nodes prefer the second',
    async (count) => {
      const at = await Bench.open();
      const exported = (await at.take('web')).export();
      const preferring = at.nodes.slice(0, count);
      for (const node of preferring) node.stall();
      const first = at.adopt('a', exported);
      const attempting = first.attempt(Number.MAX_SAFE_INTEGER);
      await at.runtime.pass(0);
      const arrive = preferring.map((node) => node.divert());
      const second = at.adopt('b', exported);
      const outcomes = [at.attempt(second), at.let(attempting)];
      for (const run of arrive) run();

      const kinds = await Promise.all(outcomes.map(async (outcome) => (await outcome).kind));

      expect(kinds.toSorted()).toEqual(['granted', 'refused']);
      await at.let((kinds[0] === 'refused' ? second : first).withdraw());
      const winner = kinds[0] === 'granted' ? 'b' : 'a';
      expect(new Set(at.owners)).toContain(`${winner}:1:box`);
      expect(new Set(at.owners)).not.toContain(`${winner === 'a' ? 'b' : 'a'}:1:box`);
    },
  );
});
