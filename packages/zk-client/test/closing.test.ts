import { describe, expect, test } from 'vitest';
import { NotSentError, UnknownOutcomeError } from '../src/errors.ts';
import { OP } from '../src/operation.ts';
import { rejection, Stage, stat } from './by-hand.ts';

test('closing is sent to the server, behind requests in flight', async () => {
  const stage = new Stage();
  const session = await stage.open();
  const reply = session.exists('/a');

  const closed = session.close();
  expect(stage.wire.requests.map(({ type }) => type)).toEqual([OP.exists, OP.closeSession]);
  for (const request of stage.wire.requests) stage.wire.answer(request, stat);

  await closed;
  expect((await reply).stat?.czxid).toBe(5n);
  expect(session.state).toBe('closed');
  expect(stage.wire.isDestroyed).toBe(true);
});

test('requests after it are refused at once', async () => {
  const stage = new Stage();
  const session = await stage.open();

  void session.close();

  expect((await rejection(session.exists('/a'), NotSentError)).code).toBe('CLOSED');
});

test('a server that does not reply delays it no longer than the limit; pending requests are in doubt', async () => {
  const stage = new Stage();
  const session = await stage.open();
  const reply = session.exists('/a');
  let isClosed = false;
  const closed = session.close({ timeoutMs: 300 }).then(() => {
    isClosed = true;
  });

  stage.clock.pass(299);
  await Promise.resolve();
  expect(isClosed).toBe(false);
  stage.clock.pass(1);

  await closed;
  await rejection(reply, UnknownOutcomeError);
  expect(stage.clock.timersArmed).toBe(0);
});

test('while disconnected it keeps trying', async () => {
  const stage = new Stage();
  const session = await stage.open();
  stage.wire.lose();

  const closed = session.close();
  stage.clock.pass(10);
  stage.wire.welcome();
  expect(stage.wire.requests.map(({ type }) => type)).toEqual([OP.closeSession]);
  stage.wire.answer(stage.wire.last);

  await closed;
  expect(stage.clock.timersArmed).toBe(0);
});

test('a close request whose reply is lost is repeated, and an expired session needs none', async () => {
  const stage = new Stage();
  const session = await stage.open();

  const closed = session.close();
  stage.wire.lose();
  stage.clock.pass(10);
  stage.wire.expire();

  await closed;
  expect(session.state).toBe('closed');
});

test('a farewell is not said to another session than our own', async () => {
  const stage = new Stage();
  const session = await stage.open({ servers: ['a:1', 'b:1'] });
  stage.wire.lose();

  const closed = session.close();
  stage.untilDialled();
  stage.wire.welcome({ id: 43n });
  expect(stage.wire.requests).toEqual([]);
  stage.untilDialled();
  stage.wire.welcome();
  stage.wire.answer(stage.wire.last);

  await closed;
  expect(stage.wire.requests.map(({ type }) => type)).toEqual([OP.closeSession]);
});

test('closing twice, or after the end, is closing once', async () => {
  const stage = new Stage();
  const session = await stage.open();

  const both = [session.close(), session.close()];
  stage.wire.answer(stage.wire.last);
  await Promise.all(both);
  await session.close();

  expect(stage.wire.of(OP.closeSession)).toHaveLength(1);
});

test('with leavesNodes it drops the connection and sends the server nothing', async () => {
  const stage = new Stage();
  const session = await stage.open();
  const reply = session.exists('/a');

  await session.close({ leavesNodes: true });

  expect(stage.wire.requests.map(({ type }) => type)).toEqual([OP.exists]);
  expect(stage.wire.isDestroyed).toBe(true);
  expect(session.state).toBe('closed');
  expect(stage.clock.timersArmed).toBe(0);
  await rejection(reply, UnknownOutcomeError);
  await session.close();
});

describe('while no server listens at any address', () => {
  const TWO = { servers: ['a:1', 'b:1'] };

  test('it ends when all have refused, long before its limit', async () => {
    const stage = new Stage();
    const session = await stage.open(TWO);
    stage.clock.pass(1_000);
    stage.wire.lose();

    const closed = session.close({ timeoutMs: 60_000 });
    for (let i = 0; i < 2; i++) {
      stage.untilDialled();
      stage.wire.turnAway();
    }

    await closed;
    expect(stage.wires).toHaveLength(3);
    expect(stage.clock.timersArmed).toBe(0);
  });

  test('it ends at once where all had refused before', async () => {
    const stage = new Stage();
    const session = await stage.open(TWO);
    stage.wire.lose();
    for (let i = 0; i < 2; i++) {
      stage.untilDialled();
      stage.wire.turnAway();
    }

    await session.close({ timeoutMs: 60_000 });

    expect(session.state).toBe('closed');
    expect(stage.clock.timersArmed).toBe(0);
  });

  test.each([
    ['is silent', (stage: Stage) => stage.clock.pass(1_100)],
    ['accepts and drops the connection', (stage: Stage) => stage.wire.lose()],
  ])('but at one, which %s, it goes on trying', async (_, fail) => {
    const stage = new Stage();
    const session = await stage.open(TWO);
    stage.wire.lose();
    const closed = session.close({ timeoutMs: 60_000 });
    for (let i = 0; i < 4; i++) {
      stage.untilDialled();
      if (stage.wire.server.host === 'a') stage.wire.turnAway();
      else fail(stage);
    }

    stage.untilDialled();
    stage.wire.welcome();
    stage.wire.answer(stage.wire.last);

    await closed;
    expect(stage.wire.of(OP.closeSession)).toHaveLength(1);
  });
});

describe('when the server stops replying', () => {
  test('closing is sent to another address, after a third of the time and at most a second', async () => {
    for (const [timeoutMs, patienceMs] of [
      [600, 200],
      [60_000, 1_000],
    ] as const) {
      const stage = new Stage();
      const session = await stage.open({ servers: ['a:1', 'b:1'] }, 30_000);
      stage.clock.pass(1_000);
      const closed = session.close({ timeoutMs });

      stage.clock.pass(patienceMs - 1);
      expect(stage.wires).toHaveLength(1);
      stage.clock.pass(1);
      stage.wire.welcome();
      stage.wire.answer(stage.wire.last);

      await closed;
      expect(stage.wire.requests.map(({ type }) => type)).toEqual([OP.closeSession]);
      expect(stage.clock.timersArmed).toBe(0);
    }
  });

  test('the only address has all the time there is', async () => {
    const stage = new Stage();
    const session = await stage.open({}, 30_000);
    const reply = session.exists('/a');
    const closed = session.close({ timeoutMs: 5_000 });

    stage.clock.pass(4_000);
    for (const request of stage.wire.requests) stage.wire.answer(request, stat);

    await closed;
    expect((await reply).stat).toBeDefined();
  });
});
