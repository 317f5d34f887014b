import { describe, expect, test } from 'vitest';
import { pauseMs } from '../src/node-deleter.ts';
import { type Actor, Bench, T_MS } from './support/bench.ts';

/** The time after which another session replaces one that does not reconnect. */
const REPLACED_MS = 3 * T_MS;

async function holding(): Promise<{ readonly at: Bench; readonly a: Actor }> {
  const at = new Bench();
  const a = await at.actor('a');
  await a.take('c1');
  return { at, a };
}

describe('a session that its servers do not take back', () => {
  test('is replaced by another: servers that lost their data never accept the old one', async () => {
    const { at, a } = await holding();
    a.session.disconnect();
    at.tree.clear();
    await at.runtime.pass(REPLACED_MS + 100);
    a.session.ping();
    await at.runtime.pass(T_MS / 3);

    expect((await a.attempt(a.contend('c2'))).kind).toBe('granted');
    expect(a.sessions.map(({ state }) => state)).toEqual(['closed', 'connected']);
  });

  test('has its leases lost, long after their deadline, and what it left behind respected', async () => {
    const at = new Bench();
    const a = await at.actor('a');
    const grant = await a.take('c1');
    let calls = 0;
    grant.onLost(() => {
      calls += 1;
    });
    const { from, ms } = grant.validity;
    a.session.disconnect();
    await at.runtime.pass(REPLACED_MS + 100);

    expect(calls).toBe(1);
    expect(at.runtime.elapsedMs(from)).toBeGreaterThan(ms);
    expect(await at.let(grant.renew(T_MS))).toEqual({ kind: 'lost' });
    expect(await at.let(grant.release())).toEqual({ kind: 'not-held' });
    // If the old session lives on, its node exists until the session has ended.
    expect((await a.attempt(a.contend('c2'))).kind).toBe('busy');
  });

  test('wakes who waited in it, to enter with the new one', async () => {
    const { at, a } = await holding();
    const b = await at.actor('b');
    const waiter = b.contend('c2');
    await b.attempt(waiter);
    await b.change(waiter);
    await b.attempt(waiter);
    const woken = waiter.changed(new AbortController().signal);
    b.session.disconnect();
    await at.runtime.pass(REPLACED_MS + 100);
    await at.let(woken);
    await b.attempt(waiter);

    // The node of the old session, which exists as long as that lives, is not in the way.
    expect(at.queue).toEqual(['c1', 'c2']);
    a.session.expire();
    b.session.ping();
    await at.runtime.pass(T_MS / 3);
    expect((await b.attempt(waiter)).kind).toBe('granted');
    expect(b.sessions.map(({ state }) => state)).toEqual(['closed', 'connected']);
  });

  test('keeps its place when it comes back in time, and nothing is left of the other', async () => {
    const { at, a } = await holding();
    const before = at.runtime.timers.size;
    a.session.disconnect();
    await at.runtime.pass(REPLACED_MS - 1);
    expect(a.sessions).toHaveLength(2);

    a.sessions[0]?.reconnect();
    await at.runtime.pass(T_MS);

    expect(a.sessions.map(({ state }) => state)).toEqual(['connected', 'closed']);
    expect(at.queue).toEqual(['c1']);
    expect(at.runtime.timers.size).toBe(before);
  });

  test('is replaced again where the other one met the same before it took its place', async () => {
    const { at, a } = await holding();
    a.session.disconnect();
    await at.runtime.pass(REPLACED_MS - 100);
    a.session.disconnect();
    await at.runtime.pass(REPLACED_MS + 200);

    expect(a.sessions.map(({ state }) => state)).toEqual(['closed', 'closed', 'connected']);
  });

  test('is tried for as long as no server gives another', async () => {
    const { at, a } = await holding();
    a.isDown = true;
    a.session.disconnect();
    await at.runtime.pass(10 * T_MS);
    expect((await a.attempt(a.contend('c2'))).kind).toBe('unavailable');

    a.isDown = false;
    await at.runtime.pass(2 * T_MS);

    expect(a.sessions.map(({ state }) => state)).toEqual(['closed', 'connected']);
  });

  test('is tried for again after the shortest pause, then after longer ones', async () => {
    const { at, a } = await holding();
    a.isDown = true;
    a.session.disconnect();
    const triedMs: number[] = [];
    a.onOpen = () => void triedMs.push(at.runtime.now().monotonicMs);
    await at.runtime.pass(3 * T_MS);

    const pausesMs = triedMs.slice(1).map((ms, i) => ms - (triedMs[i] ?? 0));
    const shortestMs = pauseMs(at.runtime, 0);
    expect(pausesMs.slice(0, 3)).toEqual([shortestMs, 2 * shortestMs, 4 * shortestMs]);
  });

  test('makes attempts say why there is no other', async () => {
    const { at, a } = await holding();
    a.refusal = new Error('no route');
    a.session.disconnect();
    await at.runtime.pass(3 * T_MS);

    expect(await a.attempt(a.contend('c2'))).toMatchObject({
      kind: 'unavailable',
      cause: { cause: a.refusal },
    });
  });

  test.each([1, 2.5])('leaves no timer when all is closed after %s T', async (share) => {
    const { at, a } = await holding();
    a.session.disconnect();
    await at.runtime.pass(share * T_MS);

    await at.let(a.backend.close());
    await at.runtime.pass(10 * T_MS);

    expect(a.sessions.every(({ state }) => state === 'closed')).toBe(true);
    expect(at.runtime.timers.size).toBe(0);
  });

  test('has no other beside it when it loses its connection often, and never for long', async () => {
    const { at, a } = await holding();
    const before = at.runtime.timers.size;
    for (let i = 0; i < 20; i++) {
      a.session.disconnect();
      await at.runtime.pass(T_MS);
      a.session.reconnect();
      await at.runtime.pass(1);
    }

    expect(a.sessions).toHaveLength(1);
    expect(at.runtime.timers.size).toBe(before);
  });
});
