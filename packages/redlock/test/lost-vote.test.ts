import { createLocks, LockTimeoutError } from '@holdfast/core';
import { NodeReplyError } from '@holdfast/redis/port';
import { describe, expect, test } from 'vitest';
import { Bench, CALL_MS, TTL_MS } from './support/bench.ts';

describe('a lost vote', () => {
  test('waits for no silent node where a majority has answered, and leaves nothing on it', async () => {
    const at = await Bench.open();
    for (const node of at.nodes.slice(0, 3)) node.give('b:1:box', 700);
    at.nodes[4]?.stall();
    const from = at.runtime.now();

    expect((await at.attempt(at.contend('a'))).kind).toBe('busy');
    expect(at.runtime.now()).toEqual(from);
    at.nodes[4]?.heal();
    await at.runtime.pass(0);

    expect(at.owners.slice(3)).toEqual([undefined, undefined]);
  });

  test('is withdrawn cleanly where only a slow node has not answered yet', async () => {
    const at = await Bench.open();
    const contender = at.contend('a');
    for (const node of at.nodes.slice(0, 3)) node.give('b:1:box', 700);
    at.nodes[4]?.stall();
    expect((await at.attempt(contender)).kind).toBe('busy');

    const withdrawal = contender.withdraw();
    at.nodes[4]?.heal();

    expect(await withdrawal).toEqual({ kind: 'clean' });
    expect(at.owners.slice(3)).toEqual([undefined, undefined]);
  });

  test('is not busy where nobody else has a single vote', async () => {
    const at = await Bench.open();
    const contender = at.contend('a');
    for (const node of at.nodes.slice(0, 2)) node.isDown = true;
    const [, , third] = at.nodes;
    if (third !== undefined) third.strange = new NodeReplyError('NOPERM', 'NOPERM no permissions');

    const attempt = await at.attempt(contender);

    expect(attempt.kind).toBe('unavailable');
    const why = String('cause' in attempt && attempt.cause);
    expect(why).toContain('3 of 5 nodes did not vote');
    expect(why).toContain('n1:6379: not connected');
    expect(why).toContain('on n3:6379 may not be locked by this Redis user');
  });

  test('whose releases are not answered is in doubt when it is withdrawn, until they are', async () => {
    const at = await Bench.open();
    const contender = at.contend('a');
    for (const node of at.nodes.slice(0, 3)) node.isDown = true;
    for (const node of at.nodes.slice(3)) node.stallAt = 'release';

    expect((await at.attempt(contender)).kind).toBe('unknown');
    expect(at.owners.slice(3)).toEqual(['a:1:box', 'a:1:box']);
    expect(await contender.withdraw()).toMatchObject({ kind: 'unknown' });
    for (const node of at.nodes) node.heal();
    await at.runtime.pass(CALL_MS);

    expect(at.owners.slice(3)).toEqual([undefined, undefined]);
    expect(await contender.withdraw()).toEqual({ kind: 'clean' });
  });

  test('stays in doubt through later attempts that reach nobody', async () => {
    const at = await Bench.open();
    const contender = at.contend('a');
    for (const node of at.nodes.slice(0, 3)) node.isDown = true;
    for (const node of at.nodes.slice(3)) node.stallAt = 'release';
    await at.attempt(contender);
    for (const node of at.nodes) node.isDown = true;

    expect((await at.attempt(contender)).kind).toBe('unknown');
  });

  test('whose wall clock jumps ahead is no less in doubt', async () => {
    const at = await Bench.open();
    const contender = at.contend('a');
    for (const node of at.nodes) node.stall();
    await at.attempt(contender);
    const elapsedMs = at.runtime.elapsedMs.bind(at.runtime);
    at.runtime.elapsedMs = (since) => elapsedMs(since) + 3_600_000;

    expect(await at.let(contender.withdraw())).toMatchObject({ kind: 'unknown' });
  });

  test('keeps its contender away for longer and longer, though giving votes back wakes it', async () => {
    const at = await Bench.open();
    at.runtime.jitter = 0.5;
    for (const node of at.nodes.slice(0, 3)) node.give('b:1:box', 9_000);
    const locks = createLocks(at.backend, { ...at.host, on: () => () => undefined });

    await expect(
      at.let(locks.acquire('k', { ttlMs: TTL_MS, waitMs: 8_000 })),
    ).rejects.toBeInstanceOf(LockTimeoutError);

    const asked = at.nodes[0]?.executed.filter(({ name }) => name === 'acquire') ?? [];
    expect(asked.length).toBeLessThan(60);
  });

  test('lets its contender come nearer step by step, once it gets no votes at all', async () => {
    const at = await Bench.open();
    at.runtime.jitter = 0.5;
    for (const node of at.nodes.slice(2)) node.give('b:1:box', 700);
    const contender = at.contend('a');
    const notBefore = async (): Promise<unknown> => {
      const attempt = await at.attempt(contender);
      return 'notBeforeMs' in attempt ? attempt.notBeforeMs : attempt.kind;
    };

    expect([await notBefore(), await notBefore(), await notBefore()]).toEqual([5, 10, 20]);
    for (const node of at.nodes.slice(0, 2)) node.give('b:1:box', 700);

    expect([await notBefore(), await notBefore(), await notBefore()]).toEqual([40, 10, 5]);
  });

  test('is cast again at another moment by each who only polls', async () => {
    const at = await Bench.open();
    for (const node of at.nodes.slice(2)) node.give('b:1:box', 30_000);
    const contender = at.contend('a');

    at.runtime.jitter = 0;
    expect(await at.attempt(contender)).toMatchObject({ retryAfterMs: 2_000 });
    at.runtime.jitter = 0.5;
    expect(await at.attempt(contender)).toMatchObject({ retryAfterMs: 2_025 });
  });
});
