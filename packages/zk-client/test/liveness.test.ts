import { beforeEach, describe, expect, test } from 'vitest';
import { UnknownOutcomeError } from '../src/errors.ts';
import { OP, XID } from '../src/operation.ts';
import type { NetworkSession } from '../src/session.ts';
import { rejection, Stage, stat } from './by-hand.ts';

/** T; the servers grant less than was requested. */
const T = 3_000;

let stage: Stage;
let session: NetworkSession;
beforeEach(async () => {
  stage = new Stage();
  session = await stage.open({ sessionTimeoutMs: 100_000 }, T);
});

const pings = (): number => stage.wire.of(OP.ping).length;
const sentMs = (atMs: number): number | undefined => session.answeredBefore(atMs)?.monotonicMs;
const nowMs = (): number => stage.clock.now().monotonicMs;
const answerPing = (): void => stage.wire.answer({ xid: XID.ping });

test('the negotiated timeout counts, not the one asked for', () => {
  expect(stage.wire.greeting?.timeoutMs).toBe(100_000);
  expect(session.timeoutMs).toBe(T);
});

test('it pings a third of the timeout after the latest request', () => {
  stage.clock.pass(T / 3 - 1);
  expect(pings()).toBe(0);
  stage.clock.pass(1);
  expect(pings()).toBe(1);
  answerPing();

  stage.clock.pass(T / 3 - 1);
  void session.exists('/a').catch(() => undefined);
  stage.clock.pass(T / 3 - 1);
  expect(pings()).toBe(1);
  stage.clock.pass(1);
  expect(pings()).toBe(2);
});

test('it pings every ten seconds at least, however long the timeout', async () => {
  const patient = new Stage();
  await patient.open({}, 60_000);

  patient.clock.pass(10_000);

  expect(patient.wire.of(OP.ping)).toHaveLength(1);
});

test('it pings every sixth of the timeout while anybody asks for that', () => {
  const [calm, calmToo] = [session.quicken(), session.quicken()];
  stage.clock.pass(T / 6);
  expect(pings()).toBe(1);
  answerPing();

  calm();
  calm();
  stage.clock.pass(T / 6);
  expect(pings()).toBe(2);
  answerPing();

  calmToo();
  stage.clock.pass(T / 3 - 1);
  expect(pings()).toBe(2);
});

test('asked to be quick when the last request is old already, it pings at once', () => {
  stage.clock.pass(T / 4);

  session.quicken();
  stage.clock.pass(0);

  expect(pings()).toBe(1);
});

describe('a server that is silent for two thirds of the timeout', () => {
  test('counts as lost: what waits is in doubt, and the next server is dialled at once', async () => {
    const reply = session.exists('/a');
    stage.clock.pass((2 * T) / 3 - 1);
    expect(session.state).toBe('connected');
    stage.clock.pass(1);

    const error = await rejection(reply, UnknownOutcomeError);

    expect(error.cause).toMatchObject({
      message: 'a:1 was silent for two thirds of the session timeout',
    });
    expect(session.state).toBe('disconnected');
    expect(stage.wires).toHaveLength(2);
    expect(stage.wire.greeting).toBeUndefined();
  });

  test('is heard by every answer, and not by events of watches', () => {
    stage.clock.pass(T / 2);
    answerPing();
    stage.clock.pass(T / 2);
    expect(session.state).toBe('connected');

    stage.wire.event(3, '/a');
    stage.clock.pass(T / 6);
    expect(session.state).toBe('disconnected');
  });

  test('does not count as lost when its answer lay unread while the event loop was blocked', () => {
    stage.clock.pass(T / 3);

    stage.clock.block(T * 0.8);
    stage.clock.runDue();
    answerPing();
    stage.clock.pass(0);

    expect(session.state).toBe('connected');
  });

  test('that answers pings but not a request is lost too', async () => {
    const reply = session.sync('/');
    stage.clock.pass(T / 3);
    answerPing();
    stage.clock.pass(T / 3);

    await rejection(reply, UnknownOutcomeError);

    expect(session.state).toBe('disconnected');
  });

  test('that answers many requests slowly one by one is not', async () => {
    const replies = Array.from({ length: 5 }, () => session.exists('/a'));
    for (const request of stage.wire.of(OP.exists)) {
      stage.clock.pass(T / 2);
      stage.wire.answer(request, stat);
    }

    await Promise.all(replies);

    expect(session.state).toBe('connected');
  });
});

describe('answeredBefore', () => {
  test('tells when the latest request left whose answer was there, pings included', () => {
    const start = nowMs();
    expect(sentMs(start)).toBeUndefined();

    stage.clock.pass(T / 3);
    stage.clock.pass(100);
    answerPing();

    expect(sentMs(start + T / 3 + 99)).toBeUndefined();
    expect(sentMs(start + T / 3 + 100)).toBe(start + T / 3);
    expect(sentMs(nowMs() + T)).toBe(start + T / 3);
  });

  test('knows nothing of an earlier connection, whose server may be cut off', () => {
    stage.clock.pass(T / 3);
    answerPing();

    stage.reconnect();

    expect(sentMs(nowMs())).toBeUndefined();
    expect(session.validated.monotonicMs).toBe(nowMs());
  });
});

test('no timer is left once the session is closed', async () => {
  const closed = session.close();
  stage.wire.answer(stage.wire.last);
  await closed;

  expect(stage.clock.timersArmed).toBe(0);
});
