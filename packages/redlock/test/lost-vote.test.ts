import { LockTimeoutError } from '@holdfast/core';
import { createLocks } from '@holdfast/core/backend';
import { NodeReplyError } from '@holdfast/redis/port';
import { describe, expect, test } from 'vitest';
import { Bench, CALL_MS, delayAcquire, isWoken, TTL_MS } from './support/bench.ts';

const { signal } = new AbortController();

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

  test('beside a bare majority keeps its contender away for longer and longer, up to 2 s', async () => {
    const at = await Bench.open();
    at.runtime.jitter = 0.5;
    for (const node of at.nodes.slice(0, 3)) node.give('b:1:box', 9_000);
    const locks = createLocks(at.backend, { ...at.host, on: () => () => undefined });

    await expect(
      at.let(locks.acquire('k', { ttlMs: TTL_MS, waitMs: 8_000 })),
    ).rejects.toBeInstanceOf(LockTimeoutError);

    const asked = at.nodes[0]?.executed.filter(({ name }) => name === 'acquire') ?? [];
    // At once, and when it can miss no release any more; 5, 10 … 640 ms after each other, every second, at the end.
    expect(asked).toHaveLength(2 + 8 + 6 + 1);
  });

  test('wakes nobody where somebody else has a majority, not even by a vote that comes late', async () => {
    const at = await Bench.open();
    for (const node of at.nodes.slice(0, 3)) node.give('b:1:box', 9_000);
    const waiter = at.contend('w');
    await waiter.changed?.(signal);
    await at.attempt(waiter);
    const [, , , , last] = at.nodes;
    if (last !== undefined) delayAcquire(at, last, 20);

    await at.attempt(at.contend('a'));
    await at.runtime.pass(20);

    expect(last?.executed.slice(-3).map(({ name }) => name)).toEqual([
      'release',
      'acquire',
      'release',
    ]);
    expect(at.owners.slice(3)).toEqual([undefined, undefined]);
    expect(await isWoken(waiter.changed?.(signal))).toBe(false);
    at.nodes[0]?.publish();
    expect(await isWoken(waiter.changed?.(signal))).toBe(true);
  });

  test('wakes those that wait where it was a majority, too late', async () => {
    const at = await Bench.open();
    const waiter = at.contend('w');
    await waiter.changed?.(signal);
    const elapsedMs = at.runtime.elapsedMs.bind(at.runtime);
    at.runtime.elapsedMs = (since) => elapsedMs(since) + TTL_MS;
    for (const node of at.nodes) node.mute();
    const attempt = at.contend('a').attempt(Number.MAX_SAFE_INTEGER);
    await at.runtime.pass(0);
    const waiting = waiter.attempt(Number.MAX_SAFE_INTEGER);
    for (const node of at.nodes) node.heal();

    expect((await at.let(attempt)).kind).toBe('unavailable');
    await at.let(waiting);

    expect(await isWoken(waiter.changed?.(signal))).toBe(true);
  });

  test('that only votes of other lost ones stood in the way of is cast again within 2 s, though nobody tells', async () => {
    const at = await Bench.open();
    at.runtime.jitter = 0.5;
    for (const [i, node] of at.nodes.entries()) node.give(`b${i % 3}:1:box`, 9_000);
    const locks = createLocks(at.backend, { ...at.host, on: () => () => undefined });
    const from = at.runtime.now().monotonicMs;
    const lease = locks.acquire('k', { ttlMs: TTL_MS, waitMs: 8_000 });
    await at.runtime.pass(200);
    for (const node of at.nodes) node.lose();

    expect((await at.let(lease)).state).toBe('held');
    expect(at.runtime.now().monotonicMs - from).toBeLessThan(200 + 2_050);
  });

  test('is forgotten when a hold has ended: a new race begins', async () => {
    const at = await Bench.open();
    at.runtime.jitter = 0.5;
    for (const node of at.nodes.slice(0, 3)) node.give('b:1:box', 9_000);
    const contender = at.contend('a');
    await contender.changed?.(signal);
    for (let splits = 0; splits < 5; splits++) await at.attempt(contender);
    expect(await at.attempt(contender)).toMatchObject({ notBeforeMs: 160 });

    at.nodes[0]?.publish();

    expect(await at.attempt(contender)).toMatchObject({ notBeforeMs: 5 });
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
    for (const node of at.nodes) node.give('b:1:box', 30_000);
    const contender = at.contend('a');

    at.runtime.jitter = 0;
    expect(await at.attempt(contender)).toMatchObject({ retryAfterMs: 2_000 });
    at.runtime.jitter = 0.5;
    expect(await at.attempt(contender)).toMatchObject({ retryAfterMs: 2_025 });
  });
});
