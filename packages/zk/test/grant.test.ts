import { ConfigError } from '@holdfast/core';
import { describe, expect, test } from 'vitest';
import { Bench, CONTAINER, T_MS } from './support/bench.ts';

const STEP_MS = T_MS / 6;

describe('a renewal', () => {
  test('is one write to the node of the session, and one look at its own, the first time', async () => {
    const at = new Bench();
    const a = await at.actor('a');
    const grant = await a.take('c1');
    await at.runtime.pass(T_MS / 3);
    a.session.ping();
    a.requests();
    const from = at.runtime.now();

    const renewal = await at.let(grant.renew(T_MS));

    expect(a.requests()).toEqual(['create 0x101', 'existsWatch c1-lock-0000000000']);
    expect(renewal).toMatchObject({ kind: 'renewed', validity: { from } });
    await at.runtime.pass(T_MS / 3);
    a.requests();
    await at.let(grant.renew(T_MS));
    expect(a.requests()).toEqual(['setData 0x101']);
  });

  test('of many leases is one write per sixth of T', async () => {
    const at = new Bench();
    const a = await at.actor('a');
    const grants = [];
    for (let i = 0; i < 10; i++) grants.push(await a.take(`c${i}`, `key ${i}`));
    for (const grant of grants) await at.let(grant.renew(T_MS));
    a.requests();

    await at.runtime.pass(STEP_MS);
    a.requests();
    const renewals = await at.let(Promise.all(grants.map((grant) => grant.renew(T_MS))));
    for (const grant of grants) await at.let(grant.renew(T_MS));

    expect(renewals.every(({ kind }) => kind === 'renewed')).toBe(true);
    expect(a.requests()).toEqual(['setData 0x101']);
  });

  test('whose reply does not arrive is unknown after a tenth of T, and neither ends nor prolongs', async () => {
    const at = new Bench();
    const a = await at.actor('a');
    const grant = await a.take('c1');
    await at.let(grant.renew(T_MS));
    await at.runtime.pass(T_MS / 3);
    a.session.next('setData', 'lost');
    const fromMs = at.runtime.now().monotonicMs;

    expect((await at.let(grant.renew(T_MS))).kind).toBe('unknown');
    expect(at.runtime.now().monotonicMs - fromMs).toBe(T_MS / 10);
  });

  test('without a connection is unknown', async () => {
    const at = new Bench();
    const a = await at.actor('a');
    const grant = await a.take('c1');
    a.session.disconnect();

    expect((await at.let(grant.renew(T_MS))).kind).toBe('unknown');
  });

  test('after a loop that was blocked for 0.8 T is worth 0.15 T only', async () => {
    const at = new Bench();
    const a = await at.actor('a');
    await at.runtime.pass(2 * T_MS);
    a.session.ping();
    await at.runtime.pass(T_MS / 4);
    const grant = await a.take('c1');
    const heardMs = at.runtime.now().monotonicMs;
    at.runtime.block(0.8 * T_MS);

    const renewal = await at.let(grant.renew(T_MS));

    const { from, ms } =
      renewal.kind === 'renewed' ? renewal.validity : { from: at.runtime.now(), ms: 0 };
    expect(renewal.kind).toBe('renewed');
    expect(from.monotonicMs + ms).toBeLessThanOrEqual(heardMs + T_MS * 0.95);
    expect(from.monotonicMs + ms).toBeGreaterThan(heardMs + T_MS * 0.9);
  });

  test('is unknown if the latest reply is too old: the leader may know nothing of us', async () => {
    const at = new Bench();
    const a = await at.actor('a');
    const grant = await a.take('c1');
    at.runtime.block(T_MS);

    expect((await at.let(grant.renew(T_MS))).kind).toBe('unknown');
  });

  test('creates the session’s node again if it was removed', async () => {
    const at = new Bench();
    const a = await at.actor('a');
    const grant = await a.take('c1');
    await at.let(grant.renew(T_MS));
    at.tree.delete('/holdfast/v1/sessions/0x101');
    await at.runtime.pass(T_MS / 3);
    a.session.ping();

    expect((await at.let(grant.renew(T_MS))).kind).toBe('renewed');
    expect(at.tree.nodes.has('/holdfast/v1/sessions/0x101')).toBe(true);
  });

  test('continues if the reply to the creation of that node was lost', async () => {
    const at = new Bench();
    const a = await at.actor('a');
    const grant = await a.take('c1');
    a.session.next('create', 'lost');
    expect((await at.let(grant.renew(T_MS))).kind).toBe('unknown');
    a.session.disconnect();
    await at.runtime.pass(1);
    a.session.reconnect();

    expect((await at.let(grant.renew(T_MS))).kind).toBe('renewed');
  });

  test('after a forced release is lost, and so is what was pushed', async () => {
    const at = new Bench();
    const a = await at.actor('a');
    const b = await at.actor('b');
    const grant = await a.take('c1');
    let isLost = false;
    grant.onLost(() => {
      isLost = true;
    });

    expect(await at.let(b.backend.forceRelease?.('k') ?? Promise.reject())).toEqual({
      kind: 'released',
    });
    expect(await at.let(grant.renew(T_MS))).toEqual({ kind: 'lost' });
    expect(isLost).toBe(true);
    expect(await at.let(grant.release())).toEqual({ kind: 'not-held' });
  });

  test('notices a forced release by itself', async () => {
    const at = new Bench();
    const a = await at.actor('a');
    const grant = await a.take('c1');
    await at.let(grant.renew(T_MS));
    let isLost = false;
    grant.onLost(() => {
      isLost = true;
    });

    at.tree.delete(`${CONTAINER}/c1-lock-0000000000`);
    await at.runtime.pass(10);

    expect(isLost).toBe(true);
  });
});

describe('the end of a session', () => {
  test('ends its leases at once, and another is opened by itself', async () => {
    const at = new Bench();
    const a = await at.actor('a');
    const grant = await a.take('c1');
    let calls = 0;
    grant.onLost(() => {
      calls += 1;
    });

    a.session.expire();

    expect(calls).toBe(1);
    let isCalledLate = false;
    grant.onLost(() => {
      isCalledLate = true;
    });
    expect(isCalledLate).toBe(true);
    expect(await at.let(grant.renew(T_MS))).toEqual({ kind: 'lost' });
    expect(await at.let(grant.release())).toEqual({ kind: 'not-held' });
    await at.runtime.pass(10);
    expect(a.sessions).toHaveLength(2);
    expect((await a.attempt(a.contend('c2'))).kind).toBe('granted');
  });

  test('while no server answers is tried again and again, and attempts are unavailable', async () => {
    const at = new Bench();
    const a = await at.actor('a');
    a.isDown = true;
    a.session.expire();
    await at.runtime.pass(60_000);

    expect((await a.attempt(a.contend('c1'))).kind).toBe('unavailable');
    a.isDown = false;
    await at.runtime.pass(5_000);

    expect((await a.attempt(a.contend('c1'))).kind).toBe('granted');
  });

  test('by refused credentials is for good', async () => {
    const at = new Bench();
    const a = await at.actor('a');
    const grant = await a.take('c1');
    let isLost = false;
    grant.onLost(() => {
      isLost = true;
    });

    a.session.expire('auth-failed');
    await at.runtime.pass(60_000);

    expect(isLost).toBe(true);
    expect(a.sessions).toHaveLength(1);
    expect(await a.attempt(a.contend('c2'))).toMatchObject({
      kind: 'refused',
      error: { code: 'NO_AUTH' },
    });
  });

  test('after which no other may be opened has attempts refused', async () => {
    const at = new Bench();
    const a = await at.actor('a');
    a.refusal = new ConfigError('zk: the servers refuse the identity');

    a.session.expire();

    expect(await a.attempt(a.contend('c1'))).toEqual({ kind: 'refused', error: a.refusal });
  });

  test('ends a removal that was pending, and touches nothing of the next session', async () => {
    const at = new Bench();
    const a = await at.actor('a');
    const grant = await a.take('c1');
    a.session.disconnect();
    expect((await at.let(grant.release())).kind).toBe('unknown');

    a.session.expire();
    await at.runtime.pass(10);
    await a.take('c2');
    await at.runtime.pass(60_000);

    expect(at.queue).toEqual(['c2']);
    expect(a.requests().filter((request) => request.startsWith('delete'))).toEqual([]);
    // The heartbeat, for the lease that is held.
    expect(at.runtime.timers.size).toBe(1);
  });
});

describe('a release', () => {
  test('whose reply was lost is unknown, and continues until the node is gone', async () => {
    const at = new Bench();
    const a = await at.actor('a');
    const grant = await a.take('c1');
    a.session.next('delete', 'stuck');

    expect((await at.let(grant.release())).kind).toBe('unknown');
    expect(at.queue).toEqual(['c1']);
    a.session.disconnect();
    a.requests();
    await at.runtime.pass(5_000);
    // It waits for the connection without retries: the timers are those of the heartbeat and the disconnection.
    expect(a.requests()).toEqual([]);
    expect(at.runtime.timers.size).toBe(2);
    a.session.reconnect();
    await at.runtime.pass(3 * T_MS);

    expect(at.queue).toEqual([]);
    expect(at.runtime.timers.size).toBe(0);
  });

  test('that finds nothing after a doubtful one does not claim to have released', async () => {
    const at = new Bench();
    const a = await at.actor('a');
    const grant = await a.take('c1');
    a.session.next('delete', 'lost');
    const releasing = grant.release();
    await at.runtime.pass(10);
    a.session.disconnect();
    await at.runtime.pass(1);
    a.session.reconnect();

    expect((await at.let(releasing)).kind).toBe('unknown');
    expect(await at.let(grant.release())).toEqual({ kind: 'not-held' });
  });

  test('that closing cuts short is unknown, and one cut short by the end of the session is not held', async () => {
    for (const [end, kind] of [
      ['close', 'unknown'],
      ['expire', 'not-held'],
    ] as const) {
      const at = new Bench();
      const a = await at.actor('a');
      const grant = await a.take('c1');
      a.session.next('delete', 'stuck');
      const releasing = grant.release();
      await at.runtime.pass(1);
      a.session.disconnect();
      await at.runtime.pass(1);

      await a.session[end]();

      expect((await at.let(releasing)).kind).toBe(kind);
    }
  });

  test('forgets the watch on its own node', async () => {
    const at = new Bench();
    const a = await at.actor('a');
    const grant = await a.take('c1');
    await at.let(grant.renew(T_MS));
    let isLost = false;
    grant.onLost(() => {
      isLost = true;
    });

    await at.let(grant.release());
    await at.runtime.pass(10);

    expect(at.tree.watches.size).toBe(0);
    expect(isLost).toBe(false);
  });
});

/** The number of syncs that the heartbeat has sent. */
function syncs(requests: readonly string[]): number {
  return requests.filter((request) => request === 'sync locks').length;
}

describe('the leader', () => {
  test('is asked every sixth of T while a lease is held, and for 2 T after, but not by an idle session', async () => {
    const at = new Bench();
    const a = await at.actor('a');
    await at.runtime.pass(3 * T_MS);
    a.session.ping();
    await at.runtime.pass(T_MS / 3);
    expect(syncs(a.requests())).toBe(0);
    const grant = await a.take('c1');
    a.requests();

    await at.runtime.pass(10 * T_MS + 100);
    expect(syncs(a.requests())).toBe(60);
    await at.let(grant.release());
    await at.runtime.pass(10 * T_MS);

    // The twelfth is due when 2 T are over.
    expect(syncs(a.requests())).toBe(11);
    expect(at.runtime.timers.size).toBe(0);
  });

  test('is not asked if a write has reached it just before', async () => {
    const at = new Bench();
    const a = await at.actor('a');
    for (let i = 0; i < 20; i++) {
      await at.let((await a.take(`c${i}`)).release());
      await at.runtime.pass(STEP_MS / 2);
    }

    expect(syncs(a.requests())).toBe(0);
  });

  test('is not asked again before it has replied', async () => {
    const at = new Bench();
    const a = await at.actor('a');
    await a.take('c1');
    a.session.next('sync', 'stuck');
    a.requests();

    await at.runtime.pass(3 * T_MS);

    expect(syncs(a.requests())).toBe(1);
  });

  test('is not asked any more once the session is over', async () => {
    const at = new Bench();
    const a = await at.actor('a');
    await a.take('c1');
    a.requests();
    a.isDown = true;

    await at.let(a.backend.close());
    await at.runtime.pass(3 * T_MS);

    expect(a.requests()).toEqual([]);
    expect(at.runtime.timers.size).toBe(0);
  });
});

/** A session that was not used for long, with a follower that answers pings. */
async function idle(): Promise<{ at: Bench; a: Awaited<ReturnType<Bench['actor']>> }> {
  const at = new Bench();
  const a = await at.actor('a');
  await a.warm();
  await at.runtime.pass(3 * T_MS);
  a.requests();
  return { at, a };
}

describe('a write shows that the leader has heard of a request', () => {
  test('that got its reply a quarter of T before the leader’s reply, not before the write', async () => {
    const { at, a } = await idle();
    a.session.ping();
    const pingedMs = at.runtime.now().monotonicMs;
    await at.runtime.pass(0.2 * T_MS);
    // Answered too shortly before the leader is asked: the follower may not have reported it …
    await at.let(a.backend.health?.() ?? Promise.reject(new Error('no health')));
    await at.runtime.pass(0.1 * T_MS);
    // … as it has of the ping.
    const grant = await a.take('c1');

    expect(a.requests().slice(-3)).toEqual(['sync locks', 'create c1-lock-', 'list k']);
    const { from, ms } = grant.validity;
    expect(from.monotonicMs + ms).toBeCloseTo(pingedMs + 0.95 * T_MS, 6);
  });
});
