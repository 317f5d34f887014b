import { describe, expect, test } from 'vitest';
import { NotSentError, OpenError } from '../src/errors.ts';
import { XID } from '../src/operation.ts';
import type { SessionState } from '../src/session-state.ts';
import { PASSWORD, rejection, Stage, stat } from './by-hand.ts';

const THREE = { servers: ['a:1', 'b:1', 'c:1'] };

/** Lets callbacks of settled promises run. */
async function settle(): Promise<void> {
  for (let i = 0; i < 5; i++) await Promise.resolve();
}

describe('after a loss', () => {
  test('the next server is dialled at once, then ever slower, each in turn', async () => {
    const stage = new Stage();
    await stage.open(THREE);
    stage.clock.pass(1_000);

    const lostMs: number[] = [];
    for (let i = 0; i < 9; i++) {
      lostMs.push(stage.clock.now().monotonicMs);
      stage.wire.lose();
      stage.untilDialled();
    }

    const gaps = lostMs.map((atMs, i) => (stage.wires[i + 1]?.atMs ?? 0) - atMs);
    expect(gaps).toEqual([0, 10, 20, 40, 80, 160, 320, 500, 500]);
    const names = stage.wires.map(({ server }) => server.name);
    expect(new Set(names.slice(0, 3)).size).toBe(3);
    expect(names.slice(3, 6)).toEqual(names.slice(0, 3));
  });

  test('the session continues: same id, same password, and what it has seen', async () => {
    const stage = new Stage();
    const session = await stage.open(THREE);
    const looked = session.exists('/a');
    stage.wire.answer(stage.wire.last, stat, 99n);
    await looked;
    stage.wire.answer({ xid: -2 }, undefined, 7n);
    expect(stage.wire.greeting).toMatchObject({ sessionId: 0n, lastZxid: 0n });

    stage.reconnect();

    expect(stage.wire.greeting).toMatchObject({
      sessionId: 42n,
      lastZxid: 99n,
      password: PASSWORD,
    });
    expect(session).toMatchObject({ id: 42n, state: 'connected' });
  });

  test('a server that drops the connection at once is not dialled in a loop', async () => {
    const stage = new Stage();
    await stage.open();

    for (let i = 0; i < 20; i++) {
      stage.wire.lose();
      stage.clock.pass(i === 0 ? 10 : 500);
      stage.wire.welcome();
    }

    expect(stage.wires).toHaveLength(21);
  });

  test('expiry is reported by the server, and is final', async () => {
    const stage = new Stage();
    const session = await stage.open();
    const states: SessionState[] = [];
    session.onState((state) => states.push(state));

    stage.wire.lose();
    stage.clock.pass(60_000_000);
    expect(session.state).toBe('disconnected');
    stage.untilDialled();
    stage.wire.expire();

    expect(states).toEqual(['disconnected', 'expired']);
    expect((await rejection(session.exists('/a'), NotSentError)).code).toBe('EXPIRED');
    expect(stage.clock.timersArmed).toBe(0);
    expect(stage.wire.isDestroyed).toBe(true);
  });

  test('another session than the requested one is never accepted: the next server is tried', async () => {
    const stage = new Stage();
    const session = await stage.open({ servers: ['a:1', 'b:1'] });
    const states: SessionState[] = [];
    session.onState((state) => states.push(state));
    stage.clock.pass(1_000);
    stage.wire.lose();

    stage.untilDialled();
    stage.wire.welcome({ id: 43n, timeoutMs: 60_000 });

    expect(stage.wire.isDestroyed).toBe(true);
    expect(session).toMatchObject({ id: 42n, timeoutMs: 3_000, state: 'disconnected' });
    expect((await rejection(session.exists('/a'), NotSentError)).cause).toMatchObject({
      message: 'answered with session 0x2b, not 0x2a',
    });
    stage.untilDialled();
    stage.wire.welcome();
    expect(stage.wire.greeting).toMatchObject({ sessionId: 42n, password: PASSWORD });
    expect(states).toEqual(['disconnected', 'connected']);
  });

  test('a server that gives another session again and again is dialled ever more slowly', async () => {
    const stage = new Stage();
    await stage.open();
    stage.clock.pass(1_000);
    stage.wire.lose();

    for (let i = 0; i < 8; i++) {
      stage.untilDialled();
      stage.wire.welcome({ id: 43n });
    }
    const lastMs = stage.wire.atMs;
    stage.untilDialled();

    expect(stage.wire.atMs - lastMs).toBe(500);
  });

  test('a server that says that the session is gone is left, and the next one tells', async () => {
    const stage = new Stage();
    const session = await stage.open();
    const reply = session.exists('/a').catch((error: unknown) => error);

    stage.wire.refuse(stage.wire.last, -112);

    expect(await reply).toMatchObject({ code: 'SESSIONEXPIRED' });
    expect(session.state).toBe('disconnected');
    stage.clock.pass(10);
    stage.wire.expire();
    expect(session.state).toBe('expired');
  });
});

describe('a server that accepts and stays silent', () => {
  test('gets its share of a third of the session timeout, and no more', async () => {
    const stage = new Stage();
    const session = await stage.open(THREE, 9_000);
    stage.clock.pass(1_000);
    stage.wire.lose();
    const startMs = stage.clock.now().monotonicMs;

    stage.wire.events.up();
    stage.clock.pass(1_010);

    expect(stage.wire.atMs - startMs).toBe(1_010);
    expect(session.state).toBe('disconnected');
  });

  test('is no reason to be patient with the next when others refused before', async () => {
    const stage = new Stage();
    const session = await stage.open(THREE, 9_000);
    stage.clock.pass(1_000);
    for (let i = 0; i < 20; i++) {
      stage.wire.lose();
      stage.untilDialled();
    }
    const dialledMs = stage.wire.atMs;

    stage.wire.events.up();
    stage.clock.pass(1_000);
    stage.untilDialled();

    expect(stage.wire.atMs - dialledMs).toBe(1_500);
    expect(session.state).toBe('disconnected');
  });

  test('gets more with every round, for the network may be that slow', async () => {
    const stage = new Stage();
    const opening = stage.begin({ ...THREE, sessionTimeoutMs: 1_800, openMs: 100_000 });
    for (let i = 0; i < 12; i++) stage.clock.pass(5_000);

    const laterGaps = stage.wires.map(({ atMs }, i) => atMs - (stage.wires[i - 1]?.atMs ?? atMs));

    expect(laterGaps.slice(1, 4).every((ms) => ms < 300)).toBe(true);
    expect(laterGaps.at(-1)).toBeGreaterThan(3_000);
    stage.untilDialled();
    stage.wire.welcome();
    expect((await opening).state).toBe('connected');
  });
});

describe('opening', () => {
  test('ends at its deadline, naming the servers and the last reason', async () => {
    const stage = new Stage();
    const opening = stage.begin({ openMs: 700 });
    stage.wire.lose();
    stage.clock.pass(700);

    const error = await rejection(opening, OpenError);

    expect(error).toMatchObject({
      code: 'NO_SERVER',
      message: 'no session from a:1 within 700 ms (reset)',
    });
    expect(stage.clock.timersArmed).toBe(0);
    expect(stage.wire.isDestroyed).toBe(true);
  });

  test('takes a deadline on its clock, too', async () => {
    const stage = new Stage();
    const opening = stage.begin({ deadlineMs: stage.clock.now().monotonicMs + 50 });
    stage.clock.pass(50);

    expect((await rejection(opening, OpenError)).message).toContain('within 50 ms');
  });

  test('checks that the chroot exists, and takes its session back when not', async () => {
    const stage = new Stage();
    const opening = stage.begin({ chroot: '/app/locks' });
    stage.wire.welcome();
    await settle();
    expect(stage.wire.last.body.string()).toBe('/app/locks');
    stage.wire.refuse(stage.wire.last, -101);

    const error = await rejection(opening, OpenError);

    expect(error).toMatchObject({
      code: 'NO_CHROOT',
      message: 'the chroot /app/locks does not exist on a:1: create it',
    });
    expect(stage.wire.last.type).toBe(-11);
  });

  test('checks the chroot again if the connection is lost meanwhile', async () => {
    const stage = new Stage();
    const opening = stage.begin({ chroot: '/app' });
    stage.wire.welcome();
    await settle();

    stage.reconnect();
    await settle();
    stage.wire.answer(stage.wire.last, stat);

    expect((await opening).state).toBe('connected');
  });

  test('ends at its deadline also while it waits to hear of the chroot', async () => {
    const stage = new Stage();
    const opening = stage.begin({ chroot: '/app', openMs: 500 });
    stage.wire.welcome({ timeoutMs: 60_000 });
    await settle();

    stage.clock.pass(500);

    expect((await rejection(opening, OpenError)).code).toBe('NO_SERVER');
    expect(stage.clock.timersArmed).toBe(0);
  });

  test('tries the next server if one does not reply about the chroot', async () => {
    const stage = new Stage();
    const opening = stage.begin({ ...THREE, chroot: '/app', sessionTimeoutMs: 60_000 });
    stage.wire.welcome({ timeoutMs: 60_000 });
    await settle();

    stage.clock.pass(1_100);
    expect(stage.wires).toHaveLength(2);
    stage.wire.welcome();
    await settle();
    stage.wire.answer(stage.wire.last, stat);

    expect((await opening).state).toBe('connected');
  });

  test('tries the next server if one does not reply to credentials', async () => {
    const stage = new Stage();
    const auth = [{ scheme: 'digest', auth: 'user:pass-word' }];
    const opening = stage.begin({ ...THREE, auth, sessionTimeoutMs: 60_000 });
    stage.wire.welcome({ timeoutMs: 60_000 });

    stage.clock.pass(1_100);
    expect(stage.wires).toHaveLength(2);
    stage.wire.welcome();
    stage.wire.answer({ xid: XID.auth });

    expect((await opening).state).toBe('connected');
  });

  test.each([
    ['while it dials', () => undefined],
    ['while it waits to hear of the chroot', (stage: Stage) => stage.wire.welcome()],
    ['while it waits to dial again', (stage: Stage) => stage.wire.lose()],
  ])('ends at once when it is aborted %s', async (_, go) => {
    const stage = new Stage();
    const aborted = new AbortController();
    const opening = stage.begin({ chroot: '/app', signal: aborted.signal });
    go(stage);
    await settle();

    aborted.abort();
    stage.clock.pass(0);

    expect((await rejection(opening, OpenError)).code).toBe('ABORTED');
    expect(stage.clock.timersArmed).toBe(0);
    expect(stage.wire.isDestroyed).toBe(true);
  });

  test('ends at once when it was aborted before', async () => {
    const stage = new Stage();

    const opening = stage.begin({ signal: AbortSignal.abort() });
    stage.clock.pass(0);

    expect(await rejection(opening, OpenError)).toMatchObject({
      code: 'ABORTED',
      message: 'no session from a:1 before the opening was aborted',
    });
    expect(stage.clock.timersArmed).toBe(0);
  });
});
