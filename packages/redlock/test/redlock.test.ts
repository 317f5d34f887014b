import { createLocks } from '@holdfast/core/backend';
import { NodeReplyError } from '@holdfast/redis/port';
import { describe, expect, test } from 'vitest';
import { Bench, CALL_MS, delayAcquire, TTL_MS } from './support/bench.ts';

const nothing = [undefined, undefined, undefined, undefined, undefined];

describe('a vote', () => {
  test('is won as soon as a majority has agreed, however slow the others are', async () => {
    const at = await Bench.open();
    at.nodes[0]?.stall();
    at.nodes[1]?.mute();
    const from = at.runtime.now();

    const attempt = await at.attempt(at.contend('a'));

    expect(at.runtime.now()).toEqual(from);
    expect(attempt).toMatchObject({
      kind: 'granted',
      grant: { owner: 'a:1:box', leaseMs: TTL_MS, validity: { from, ms: TTL_MS - 12 } },
    });
  });

  test('is lost, and released on all nodes, when another contender has a majority', async () => {
    const at = await Bench.open();
    for (const node of at.nodes.slice(0, 3)) node.give('b:1:box', 700);

    const attempt = await at.attempt(at.contend('a'));

    expect(attempt).toMatchObject({ kind: 'busy', holderRemainingMs: 700 });
    expect(at.owners).toEqual(['b:1:box', 'b:1:box', 'b:1:box', undefined, undefined]);
    for (const node of at.nodes) expect(node.executed.at(-1)?.name).toBe('release');
  });

  test('is released before the attempt says when to retry, at random', async () => {
    const at = await Bench.open();
    at.runtime.jitter = 0.5;
    for (const node of at.nodes.slice(2)) node.give('b:1:box', 700);
    const contender = at.contend('a');

    const first = await at.attempt(contender);
    const second = await at.attempt(contender);

    expect(first).toMatchObject({ kind: 'busy', notBeforeMs: 5, retryAfterMs: 5 });
    expect(second).toMatchObject({ notBeforeMs: 10, retryAfterMs: 10 });
  });

  test('writes another owner value with every attempt', async () => {
    const at = await Bench.open();
    for (const node of at.nodes.slice(0, 3)) node.give('b:1:box', 700);
    const contender = at.contend('a');

    await at.attempt(contender);
    await at.attempt(contender);

    const asked = at.nodes[4]?.executed.filter(({ name }) => name === 'acquire');
    expect(asked?.map(({ owner }) => owner)).toEqual(['a:1:box', 'a:2:box']);
  });

  test('wins over a majority when one node is down and another’s hold runs out', async () => {
    const at = await Bench.open(3);
    at.nodes[1]?.give('b:1:box', 300);
    for (const node of at.nodes.slice(2)) node.isDown = true;
    const contender = at.contend('a');

    const busy = await at.attempt(contender);
    expect(busy).toMatchObject({ kind: 'busy', holderRemainingMs: 300 });
    await at.runtime.pass(301);

    expect((await at.attempt(contender)).kind).toBe('granted');
  });

  test('says busy where a majority answered, though some did not', async () => {
    const at = await Bench.open();
    for (const node of at.nodes.slice(0, 2)) node.stall();
    for (const node of at.nodes.slice(2)) node.give('b:1:box', 700);

    expect(await at.attempt(at.contend('a'))).toMatchObject({ kind: 'busy' });
  });

  test('says busy where a majority answered, though two nodes said at once that they are down', async () => {
    const at = await Bench.open();
    const contender = at.contend('a');
    for (const node of at.nodes.slice(0, 2)) node.isDown = true;
    for (const node of at.nodes.slice(2)) node.give('b:1:box', 700);
    for (const node of at.nodes.slice(3)) node.mute();
    const attempting = at.attempt(contender);
    await at.runtime.pass(50);
    for (const node of at.nodes) node.heal();

    expect(await attempting).toMatchObject({ kind: 'busy', holderRemainingMs: 700 });
  });

  test('waits for what may make it refused, where one node holds something foreign', async () => {
    const at = await Bench.open();
    const contender = at.contend('a');
    for (const node of at.nodes.slice(0, 2)) node.give('b:1:box', 700);
    for (const node of at.nodes.slice(2)) node.strange = -2;
    for (const node of at.nodes.slice(3)) node.mute();
    const attempting = at.attempt(contender);
    await at.runtime.pass(50);
    for (const node of at.nodes) node.heal();

    expect((await attempting).kind).toBe('refused');
  });

  test('says unavailable where too few answered and nothing can stand', async () => {
    const at = await Bench.open();
    const contender = at.contend('a');
    for (const node of at.nodes.slice(0, 3)) node.isDown = true;

    const attempt = await at.attempt(contender);

    expect(attempt.kind).toBe('unavailable');
    expect(String('cause' in attempt && attempt.cause)).toContain('n1:6379: not connected');
    expect(at.owners).toEqual(nothing);
    expect(await contender.withdraw()).toEqual({ kind: 'clean' });
    // A request that was not written needs no release.
    expect(at.runtime.timers.size).toBe(0);
  });

  test('says unknown where too few answered and something may stand, until it was undone', async () => {
    const at = await Bench.open();
    const contender = at.contend('a');
    for (const node of at.nodes.slice(0, 3)) node.mute();

    expect((await at.attempt(contender)).kind).toBe('unknown');
    expect(await at.let(contender.withdraw())).toMatchObject({ kind: 'unknown' });
    for (const node of at.nodes) node.heal();
    await at.runtime.pass(0);

    expect(at.owners).toEqual(nothing);
    expect(await contender.withdraw()).toEqual({ kind: 'clean' });
  });

  test('says unknown while a question may be executed behind its release', async () => {
    const at = await Bench.open(3);
    const contender = at.contend('a');
    for (const node of at.nodes.slice(0, 2)) node.isDown = true;
    const [, , late] = at.nodes;
    if (late !== undefined) delayAcquire(at, late, 40);

    expect((await at.attempt(contender)).kind).toBe('unknown');
    await at.runtime.pass(60);

    expect(late?.owner).toBeUndefined();
  });

  test('settles by the deadline of its caller', async () => {
    const at = await Bench.open();
    const contender = at.contend('a');
    for (const node of at.nodes) node.stall();
    const { monotonicMs } = at.runtime.now();

    await at.let(contender.attempt(monotonicMs + 30));

    expect(at.runtime.now().monotonicMs).toBe(monotonicMs + 30);
  });

  test('takes a call and its releases, at most', async () => {
    const at = await Bench.open();
    const contender = at.contend('a');
    for (const node of at.nodes) node.stall();
    const { monotonicMs } = at.runtime.now();

    await at.attempt(contender);

    expect(at.runtime.now().monotonicMs).toBe(monotonicMs + 2 * CALL_MS);
  });

  test('that is answered by all too late is not won, and leaves nothing', async () => {
    const at = await Bench.open();
    const contender = at.contend('a');
    for (const node of at.nodes) node.mute();

    expect((await at.attempt(contender)).kind).toBe('unknown');
    for (const node of at.nodes) node.heal();
    await at.runtime.pass(0);

    expect(at.owners).toEqual(nothing);
  });

  test('does not count what comes after its deadline even if nothing undid it', async () => {
    const at = await Bench.open(3);
    const contender = at.contend('a');
    const from = at.runtime.now();
    at.runtime.now = () => ({ ...from, monotonicMs: from.monotonicMs + elapsed });
    let elapsed = 0;
    for (const node of at.nodes) node.mute();
    const attempting = contender.attempt(Number.MAX_SAFE_INTEGER);
    elapsed = CALL_MS + 1;
    for (const node of at.nodes) node.heal();

    expect((await attempting).kind).not.toBe('granted');
    expect(at.reported).toContain('n1 late');
  });

  test('is worth nothing when no validity is left', async () => {
    const at = await Bench.open(3);
    const contender = at.contend('a');
    at.runtime.elapsedMs = () => TTL_MS - 12;

    const attempt = await at.attempt(contender);

    expect(attempt.kind).toBe('unavailable');
    expect(at.owners.slice(0, 3)).toEqual([undefined, undefined, undefined]);
  });

  test('refuses where a majority holds something foreign, and never deletes it', async () => {
    const at = await Bench.open();
    for (const node of at.nodes.slice(0, 3)) node.give('a lock of another tool', 700);
    for (const node of at.nodes.slice(0, 3)) node.strange = -2;
    const attempt = await at.attempt(at.contend('a'));

    expect(attempt).toMatchObject({ kind: 'refused', error: { code: 'FOREIGN_KEY', key: 'k' } });
    expect(at.owners.slice(0, 3)).toEqual(Array(3).fill('a lock of another tool'));
    expect(at.reported).toContain('n1 FOREIGN_KEY');
  });

  test.each([
    ['something foreign', -2],
    ['a value without expiry', -1],
    ['another type', new NodeReplyError('WRONGTYPE', 'WRONGTYPE Operation against a key')],
    ['a reply of no known kind', [1, 2]],
  ])('leaves the decision to the rest where one node has %s', async (_, strange) => {
    const at = await Bench.open(3);
    const contender = at.contend('a');
    const [first] = at.nodes;
    if (first !== undefined) first.strange = strange;

    expect((await at.attempt(contender)).kind).toBe('granted');
  });

  test('is busy, not refused, where one node has something foreign and another is another’s', async () => {
    const at = await Bench.open(3);
    for (const node of at.nodes.slice(0, 1)) node.strange = -2;
    at.nodes[1]?.give('b:1:box', 300);

    expect(await at.attempt(at.contend('a'))).toMatchObject({
      kind: 'busy',
      holderRemainingMs: 300,
    });
  });

  test('tells which node was slow', async () => {
    const at = await Bench.open();
    at.nodes[3]?.mute();
    await at.take('a');

    await at.runtime.pass(50);
    at.nodes[3]?.heal();
    await at.runtime.pass(0);

    expect(at.reported).toEqual(['n4 slow']);
  });
});

describe('a late winner', () => {
  test('counts in the renewals of the hold when it came in time', async () => {
    const at = await Bench.open();
    at.nodes[0]?.mute();
    const grant = await at.take('a');
    at.nodes[0]?.heal();
    for (const node of at.nodes.slice(3)) node.lose();
    await at.runtime.pass(300);

    expect(await at.round(grant)).toBe('renewed');
  });

  test('is released when the vote was lost', async () => {
    const at = await Bench.open();
    for (const node of at.nodes.slice(0, 3)) node.give('b:1:box', 700);
    at.nodes[4]?.stall();
    const attempting = at.attempt(at.contend('a'));
    await at.runtime.pass(50);
    at.nodes[4]?.heal();
    await attempting;

    expect(at.nodes[4]?.owner).toBeUndefined();
  });

  test('is released even if its request is executed after the release', async () => {
    const at = await Bench.open(3);
    const contender = at.contend('a');
    for (const node of at.nodes.slice(0, 2)) node.give('b:1:box', 700);
    const [, , late] = at.nodes;
    if (late !== undefined) delayAcquire(at, late, 40);

    await at.attempt(contender);
    await at.runtime.pass(60);

    expect(late?.executed.map(({ name }) => name)).toEqual(['release', 'acquire', 'release']);
    expect(late?.owner).toBeUndefined();
  });
});

test('readers, writers and semaphores are refused with the reason, before anything is sent', async () => {
  const at = await Bench.open();
  const locks = createLocks(at.backend, { ...at.host, on: () => () => undefined });
  const executed = at.nodes.map((node) => node.executed.length);

  for (const ask of [
    () => locks.read('k').acquire(),
    () => locks.write('k').acquire(),
    () => locks.semaphore('k', 3).acquire(),
  ])
    await expect(async () => await ask()).rejects.toThrow(
      /^redlock has no \S.*: 'k' can only be held exclusively, since its servers count apart, and a majority/,
    );

  expect(at.nodes.map((node) => node.executed.length)).toEqual(executed);
});
