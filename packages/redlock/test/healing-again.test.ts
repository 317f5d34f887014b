import { PendingReleases } from '@holdfast/redis';
import { NodeUnavailable } from '@holdfast/redis/port';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { Bench, CALL_MS, delayAcquire, TTL_MS } from './support/bench.ts';

/** A waiter that loses its attempt has the vote of an emptied node for a few round trips. */
const A_MOMENT_MS = 1;

afterEach(() => {
  vi.restoreAllMocks();
});

function askedOf(at: Bench, nth: number): readonly string[] {
  const acquired = at.nodes[nth]?.executed.filter(({ name }) => name === 'acquire') ?? [];
  return acquired.map(({ owner }) => owner);
}

interface Emptied {
  readonly at: Bench;
  readonly grant: Awaited<ReturnType<Bench['take']>>;
}

/** A hold of which the first node has been emptied, and has given its vote to a waiter. */
async function emptied(waiterMs: number): Promise<Emptied> {
  const at = await Bench.open();
  at.runtime.jitter = 0.5;
  const grant = await at.take('a');
  at.nodes[0]?.lose();
  at.nodes[0]?.give('b:1:box', waiterMs);
  return { at, grant };
}

/** A hold that was won while two of the five nodes were down; they are back, and empty. */
async function ofThree(): Promise<Emptied> {
  const at = await Bench.open();
  at.runtime.jitter = 0.9;
  for (const node of at.nodes.slice(3)) node.isDown = true;
  const grant = await at.take('a');
  for (const node of at.nodes.slice(3)) node.isDown = false;
  return { at, grant };
}

describe('a vote that another has', () => {
  test('for a moment is restored in the same round, under an n of its own', async () => {
    const { at, grant } = await emptied(A_MOMENT_MS);

    expect(await at.round(grant)).toBe('renewed');

    expect(askedOf(at, 0)).toEqual(['a:1:box', 'a:2:box', 'a:3:box']);
    expect(at.nodes[0]?.owner).toBe('a:3:box');
  });

  test('for long is asked for six times in a round, within half of the time of a call each', async () => {
    const { at, grant } = await emptied(5 * TTL_MS);
    await at.let(grant.renew(TTL_MS));
    await at.runtime.pass(CALL_MS);
    expect(askedOf(at, 0)).toEqual(Array.from({ length: 6 }, (_, i) => `a:${i + 1}:box`));

    await at.runtime.pass(5 * CALL_MS);

    expect(askedOf(at, 0)).toHaveLength(1 + 6);
    expect(at.nodes[0]?.owner).toBe('b:1:box');
  });

  test('is asked for again after a pause of up to half of the time of a call, at random', async () => {
    const { at, grant } = await emptied(5 * TTL_MS);
    at.runtime.jitter = 0.9;
    await at.let(grant.renew(TTL_MS));
    await at.runtime.pass(0.45 * CALL_MS - 1);
    expect(askedOf(at, 0)).toEqual(['a:1:box', 'a:2:box']);

    await at.runtime.pass(1);

    expect(askedOf(at, 0)).toEqual(['a:1:box', 'a:2:box', 'a:3:box']);
  });

  test('leaves nothing with the backend once its pauses are over, however many rounds there are', async () => {
    const waiting = new Set<unknown>();
    // oxlint-disable-next-line typescript/unbound-method -- it is called with its own `this` below
    const { onClose } = PendingReleases.prototype;
    vi.spyOn(PendingReleases.prototype, 'onClose').mockImplementation(function (
      this: PendingReleases,
      run,
    ) {
      const forget = onClose.call(this, run);
      waiting.add(run);
      return () => {
        waiting.delete(run);
        forget();
      };
    });
    const { at, grant } = await emptied(5 * TTL_MS);
    await at.let(grant.renew(TTL_MS));
    await at.runtime.pass(1);
    expect(waiting.size).toBe(1);

    await at.runtime.pass(2 * CALL_MS);

    expect(waiting.size).toBe(0);
  });

  test('is asked for no more once the hold is released, and nothing is left to wait for', async () => {
    const { at, grant } = await emptied(TTL_MS);
    await at.let(grant.renew(TTL_MS));
    await at.let(grant.renew(TTL_MS));
    const asked = askedOf(at, 0).length;

    await at.let(grant.release());

    expect(at.runtime.timers.size).toBe(0);
    at.nodes[0]?.lose();
    await at.runtime.pass(2 * CALL_MS);
    expect(askedOf(at, 0)).toHaveLength(asked);
  });

  test('is left to the round that comes meanwhile', async () => {
    const { at, grant } = await emptied(5 * TTL_MS);

    await at.let(grant.renew(TTL_MS));
    await at.let(grant.renew(TTL_MS));
    await at.runtime.pass(5 * CALL_MS);

    // Once for the first round, six times for the second.
    expect(askedOf(at, 0)).toHaveLength(1 + 1 + 6);
  });
});

describe('nothing is left to wait for where, while a node is being asked,', () => {
  test.each([
    ['the hold is released', ({ grant }: Emptied) => grant.release()],
    ['the backend closes', ({ at }: Emptied) => at.backend.close()],
  ])('%s', async (_, end) => {
    const both = await emptied(5 * TTL_MS);
    const { at, grant } = both;
    const [first] = at.nodes;
    if (first === undefined) throw new Error('there are five');
    delayAcquire(at, first, 20);
    await at.let(grant.renew(TTL_MS));
    await at.runtime.pass(10);

    await at.let<unknown>(end(both));
    await at.runtime.pass(10);

    expect(askedOf(at, 0)).toEqual(['a:1:box', 'a:2:box']);
    expect(at.runtime.timers.size).toBe(0);
  });
});

describe('a round', () => {
  test('that was overtaken while it asked asks no more', async () => {
    const { at, grant } = await emptied(5 * TTL_MS);
    const [first] = at.nodes;
    if (first === undefined) throw new Error('there are five');
    delayAcquire(at, first, 20);
    await at.let(grant.renew(TTL_MS));
    await at.runtime.pass(10);
    await at.let(grant.renew(TTL_MS));

    await at.runtime.pass(3 * CALL_MS);

    expect(askedOf(at, 0)).toEqual(['a:1:box', 'a:2:box']);
  });

  test('restores nothing that falls in it before it is decided', async () => {
    const { at, grant } = await emptied(5 * TTL_MS);
    await at.let(grant.renew(TTL_MS));
    for (const node of at.nodes.slice(1, 3)) node.lose();
    at.nodes[2]?.mute();
    expect(await at.round(grant)).toBe('unknown');
    at.nodes[2]?.heal();

    expect(await at.round(grant)).toBe('lost');
  });

  test('in doubt takes no vote for lost that was only being asked for when it began', async () => {
    const { at, grant } = await ofThree();
    for (const node of at.nodes.slice(3)) node.give('b:1:box', 3 * CALL_MS);
    at.nodes[0]?.stall();
    expect((await at.let(grant.renew(TTL_MS))).kind).toBe('unknown');
    await at.runtime.pass(40);
    for (const node of at.nodes.slice(3)) node.mute();
    // The watchdog waits for a tenth of the ttl.
    await at.runtime.pass(60);
    const second = grant.renew(TTL_MS);
    await at.runtime.pass(10);
    for (const node of at.nodes.slice(3)) node.heal();
    expect((await at.let(second)).kind).toBe('unknown');
    await at.runtime.pass(CALL_MS);

    expect((await at.let(grant.renew(TTL_MS))).kind).toBe('renewed');
  });

  test('asks a node that is down once, though another has the vote of a second', async () => {
    const { at, grant } = await ofThree();
    at.nodes[3]?.give('b:1:box', 5 * TTL_MS);
    const [, , , , fifth] = at.nodes;
    if (fifth !== undefined) fifth.isDown = true;
    at.events.splice(0);

    await at.let(grant.renew(TTL_MS));
    await at.runtime.pass(4 * CALL_MS);

    expect(at.reported).toEqual(['n5 unavailable']);
    expect(askedOf(at, 3)).toHaveLength(6);
  });
});

test('the end of the backend ends what would have been asked for again', async () => {
  const { at, grant } = await emptied(5 * TTL_MS);
  await at.let(grant.renew(TTL_MS));
  const asked = askedOf(at, 0).length;

  const closing = at.backend.close();
  await at.runtime.pass(0);

  expect(at.runtime.timers.size).toBe(0);
  await at.let(closing);
  await at.runtime.pass(CALL_MS);
  expect(askedOf(at, 0)).toHaveLength(asked);
});

test('a node that cannot be reached is asked once in a round', async () => {
  const at = await Bench.open();
  const grant = await at.take('a');
  const [node] = at.nodes;
  if (node === undefined) throw new Error('there are five');
  node.lose();
  const script = node.script.bind(node);
  let asked = 0;
  node.script = async (named, ...rest) => {
    if (named.name !== 'acquire') return await script(named, ...rest);
    asked++;
    throw new NodeUnavailable('nobody is there');
  };

  await at.round(grant);

  expect(asked).toBe(1);
});

test('a round that a later one has overtaken restores nothing that fell since', async () => {
  const at = await Bench.open();
  const grant = await at.take('a');
  const [, , third, , slow] = at.nodes;
  slow?.mute();
  // Carried by the other four.
  expect((await at.let(grant.renew(TTL_MS))).kind).toBe('renewed');
  for (const node of at.nodes.slice(0, 3)) node.lose();
  third?.mute();
  const later = grant.renew(TTL_MS);
  await at.runtime.pass(CALL_MS / 5);
  slow?.heal();
  await at.let(later);
  await at.runtime.pass(2 * CALL_MS);
  third?.heal();

  expect(await at.round(grant)).toBe('lost');
});
