import { expect, test } from 'vitest';
import { NotSentError, UnknownOutcomeError } from '../src/errors.ts';
import { OP } from '../src/operation.ts';
import { rejection, Stage, stat } from './by-hand.ts';

test('the server is told, behind what is on the wire', async () => {
  const stage = new Stage();
  const session = await stage.open();
  const reply = session.exists('/a');

  const closed = session.close();
  expect(stage.wire.asked.map(({ type }) => type)).toEqual([OP.exists, OP.closeSession]);
  for (const asked of stage.wire.asked) stage.wire.answer(asked, stat);

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

test('a server that does not answer holds it up no longer than the limit; what waits is in doubt', async () => {
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

test('while disconnected it goes on trying to tell', async () => {
  const stage = new Stage();
  const session = await stage.open();
  stage.wire.lose();

  const closed = session.close();
  stage.clock.pass(10);
  stage.wire.welcome();
  expect(stage.wire.asked.map(({ type }) => type)).toEqual([OP.closeSession]);
  stage.wire.answer(stage.wire.last);

  await closed;
  expect(stage.clock.timersArmed).toBe(0);
});

test('a farewell whose answer is lost is repeated, and an expired session needs none', async () => {
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
  expect(stage.wire.asked).toEqual([]);
  stage.untilDialled();
  stage.wire.welcome();
  stage.wire.answer(stage.wire.last);

  await closed;
  expect(stage.wire.asked.map(({ type }) => type)).toEqual([OP.closeSession]);
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

test('told to leave its nodes, it drops the connection and tells the server nothing', async () => {
  const stage = new Stage();
  const session = await stage.open();
  const reply = session.exists('/a');

  await session.close({ leavesNodes: true });

  expect(stage.wire.asked.map(({ type }) => type)).toEqual([OP.exists]);
  expect(stage.wire.isDestroyed).toBe(true);
  expect(session.state).toBe('closed');
  expect(stage.clock.timersArmed).toBe(0);
  await rejection(reply, UnknownOutcomeError);
  await session.close();
});
