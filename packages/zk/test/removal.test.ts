import { describe, expect, test } from 'vitest';
import { pauseMs } from '../src/node-deleter.ts';
import { SessionDoubt, SessionReplyError } from '../src/port.ts';
import { type Actor, Bench, CONTAINER } from './support/bench.ts';

const NODE = `${CONTAINER}/c1-lock-0000000000`;

type Held = Awaited<ReturnType<Actor['take']>>;

async function holding(): Promise<{ at: Bench; a: Actor; grant: Held }> {
  const at = new Bench();
  const a = await at.actor('a');
  const grant = await a.take('c1');
  a.requests();
  return { at, a, grant };
}

/** The number of requests to delete the node since the last call. */
function removals(a: Actor): number {
  return a.requests().filter((request) => request.startsWith('delete')).length;
}

test('a withdrawal that is requested twice sends one removal', async () => {
  const { at, a } = await holding();
  const waiter = a.contend('c2');
  await a.attempt(waiter);
  a.requests();

  await at.let(Promise.all([waiter.withdraw(), waiter.withdraw()]));

  expect(removals(a)).toBe(1);
  expect(at.queue).toEqual(['c1']);
});

describe('a release', () => {
  test('that is requested twice is sent once, and both callers learn its outcome', async () => {
    const { at, a, grant } = await holding();

    const releases = await at.let(Promise.all([grant.release(), grant.release()]));

    expect(releases).toEqual([{ kind: 'released' }, { kind: 'released' }]);
    expect(removals(a)).toBe(1);
  });

  test('of what another client has removed is certainly not held', async () => {
    const { at, grant } = await holding();
    at.tree.delete(NODE);

    expect(await at.let(grant.release())).toEqual({ kind: 'not-held' });
  });

  test('stays in doubt when the server has refused another try before nothing is found', async () => {
    const { at, a, grant } = await holding();
    a.session.next('delete', 'lost');
    a.session.next('delete', new SessionReplyError('THROTTLEDOP', 'not now'));
    const releasing = grant.release();
    await at.runtime.pass(10);
    a.session.disconnect();
    await at.runtime.pass(1);
    a.session.reconnect();

    expect((await at.let(releasing)).kind).toBe('unknown');
    expect(removals(a)).toBe(3);
  });

  test('that was in doubt goes out again with the next connection at once: others wait for it', async () => {
    const { at, a, grant } = await holding();
    a.session.next('delete', 'stuck');
    void grant.release();
    await at.runtime.pass(10);
    a.session.disconnect();
    a.session.reconnect();
    await at.runtime.pass(0);

    expect(at.queue).toEqual([]);
  });

  test('that meets doubt again and again is tried once more at once, then after ever longer pauses', async () => {
    const { at, a, grant } = await holding();
    for (let i = 0; i < 5; i++) a.session.next('delete', new SessionDoubt('reset'));
    void grant.release();
    await at.runtime.pass(0);
    const triedMs: number[] = [];
    for (let ms = 0; ms < 1_000; ms++) {
      for (let n = removals(a); n > 0; n--) triedMs.push(ms);
      await at.runtime.pass(1);
    }

    // Each is answered after a millisecond.
    const pausesMs = triedMs.slice(1).map((ms, i) => ms - (triedMs[i] ?? 0) - 1);
    const shortest = [1, 2, 3, 4].map((failures) => pauseMs(at.runtime, failures));
    expect(pausesMs).toEqual([0, ...shortest]);
    expect(at.queue).toEqual([]);
  });

  test('that its server does not permit is reported, with the node and the reply', async () => {
    const { at, a, grant } = await holding();
    const cause = new SessionReplyError('NOAUTH', 'not yours');
    a.session.next('delete', cause);

    await at.let(grant.release());

    expect(a.events).toContainEqual({
      type: 'warning',
      backend: 'zk',
      code: 'undeletable-node',
      message: expect.stringContaining(
        `${NODE} cannot be removed before its session ends: not yours`,
      ),
      cause,
    });
  });
});

describe('the pause between two tries', () => {
  test('is at most a twentieth of a second at first, doubles, and stays at most two seconds: as long as core pauses', () => {
    const { runtime } = new Bench();
    runtime.jitter = 1;

    const pauses = Array.from({ length: 20 }, (_, failures) => pauseMs(runtime, failures));

    expect(pauses.slice(0, 6)).toEqual([50, 100, 200, 400, 800, 1_600]);
    expect(new Set(pauses.slice(6))).toEqual(new Set([2_000]));
  });

  test.each([0, 0.5, 1])('is half certain, and half drawn: %s of that half', (drawn) => {
    const { runtime } = new Bench();
    const longest = Object.assign(new Bench().runtime, { jitter: 1 });
    runtime.jitter = drawn;

    for (let failures = 0; failures < 20; failures++) {
      const share = pauseMs(runtime, failures) / pauseMs(longest, failures);
      expect(share).toBeCloseTo((1 + drawn) / 2, 9);
    }
  });
});
