import { beforeEach, describe, expect, test } from 'vitest';
import { NotSentError, ReplyError, RequestError, UnknownOutcomeError } from '../src/errors.ts';
import { OP } from '../src/operation.ts';
import type { NetworkSession } from '../src/session.ts';
import { rejection, Stage, stat } from './by-hand.ts';

let stage: Stage;
let session: NetworkSession;
beforeEach(async () => {
  stage = new Stage();
  session = await stage.open();
});

test('an answer carries when its request left and the transaction it came at', async () => {
  const reply = session.create('/a', 'x');
  const { monotonicMs } = stage.clock.now();
  stage.clock.pass(100);
  stage.wire.answer(stage.wire.last, (writer) => stat(writer.string('/a'), 77n), 77n);

  expect(await reply).toMatchObject({
    path: '/a',
    stat: { czxid: 77n },
    sentAt: { monotonicMs, wallMs: monotonicMs },
    zxid: 77n,
  });
});

test('a refusal names the node, never the data', async () => {
  const reply = session.create('/a', 'secret', { mode: 'ephemeral' });
  stage.wire.refuse(stage.wire.last, -110);

  const error = await rejection(reply, ReplyError);

  expect(error).toMatchObject({ code: 'NODEEXISTS', message: 'create /a: NODEEXISTS (-110)' });
});

test('a request that the server does not know says which servers do', async () => {
  const reply = session.create('/a', '', { mode: 'container' });
  stage.wire.refuse(stage.wire.last, -6);

  expect(await rejection(reply, ReplyError)).toMatchObject({
    code: 'UNIMPLEMENTED',
    message:
      'create /a: UNIMPLEMENTED (-6): the server is older than 3.5.3, or such nodes are switched off there',
  });
});

test('a missing node is an answer to those who look, and an error to others', async () => {
  const looked = session.exists('/a');
  stage.wire.refuse(stage.wire.last, -101);
  const read = session.getData('/a');
  stage.wire.refuse(stage.wire.last, -101);

  expect((await looked).stat).toBeUndefined();
  expect((await rejection(read, ReplyError)).code).toBe('NONODE');
});

test.each([-1, -2, -5, -7, -4, -122, -999])(
  'a failure inside the server (%i) leaves open whether it was applied',
  async (failure) => {
    const reply = session.setData('/a', 'x');
    stage.wire.refuse(stage.wire.last, failure);

    const error = await rejection(reply, UnknownOutcomeError);

    expect(error.cause).toBeInstanceOf(ReplyError);
  },
);

describe('when the connection is lost', () => {
  test('what is on the wire is in doubt, and is not sent again', async () => {
    const reply = session.delete('/a');
    stage.wire.lose();

    const error = await rejection(reply, UnknownOutcomeError);
    stage.clock.pass(10);
    stage.wire.welcome();

    expect(error.message).toBe('delete /a: the connection to a:1 was lost before the reply came');
    expect(stage.wire.of(OP.delete)).toEqual([]);
    expect(session.state).toBe('connected');
  });

  test('nothing is queued: requests are refused at once and never leave', async () => {
    stage.wire.lose();

    const error = await rejection(session.delete('/a'), NotSentError);
    stage.clock.pass(10);
    stage.wire.welcome();

    expect(error).toMatchObject({ code: 'DISCONNECTED' });
    expect(stage.wire.asked).toEqual([]);
  });

  test('who hears of the doubt sees the state as it is', async () => {
    const state = session.delete('/a').catch(() => session.state);
    stage.wire.lose();

    expect(await state).toBe('disconnected');
  });
});

describe('what cannot be right is refused before anything is sent', () => {
  test('a request that is larger than a server takes', async () => {
    const error = await rejection(session.setData('/a', new Uint8Array(1_048_576)), RequestError);

    expect(error.code).toBe('TOO_LARGE');
    expect(stage.wire.asked).toEqual([]);
    expect(session.state).toBe('connected');
  });

  test.each(['', 'a', '/a/', '/a//b', '/a/./b', '/..', '/a\u0000', '/a\u007f', '/😀', '/\ue000'])(
    'the path %j',
    async (path) => {
      expect((await rejection(session.getData(path), RequestError)).code).toBe('BAD_PATH');
      expect(stage.wire.asked).toEqual([]);
    },
  );

  test('a ttl without a mode for it, and the other way round', async () => {
    await rejection(session.create('/a', '', { ttlMs: 100 }), RequestError);
    await rejection(session.create('/a', '', { mode: 'persistent-ttl' }), RequestError);
    await rejection(session.create('/a', '', { mode: 'persistent-ttl', ttlMs: 0 }), RequestError);

    expect(stage.wire.asked).toEqual([]);
  });

  test('a version that is none', async () => {
    await rejection(session.delete('/a', 1.5), RequestError);

    expect(stage.wire.asked).toEqual([]);
  });
});

describe('an answer that makes no sense ends the connection, and what waits is in doubt', () => {
  test('one to a request that is not next', async () => {
    const [first, second] = [session.exists('/a'), session.exists('/b')];
    stage.wire.answer(stage.wire.last, stat);

    await rejection(first, UnknownOutcomeError);
    const error = await rejection(second, UnknownOutcomeError);

    expect(error.cause).toMatchObject({ message: 'answers request 2, but 1 is next' });
    expect(session.state).toBe('disconnected');
    expect(stage.wire.isDestroyed).toBe(true);
  });

  test('one that ends early', async () => {
    const reply = session.exists('/a');
    stage.wire.answer(stage.wire.last, (writer) => void writer.int(1));

    const error = await rejection(reply, UnknownOutcomeError);

    expect(error.cause).toMatchObject({ code: 'MALFORMED' });
  });

  test('one that is larger than this client takes, which the error says', async () => {
    const reply = session.getChildren('/a');
    stage.wire.events.bytes(new Uint8Array([0x7f, 0, 0, 0]));

    const error = await rejection(reply, UnknownOutcomeError);

    expect(error.cause).toMatchObject({
      message: 'a reply of 2130706432 bytes: not within 0 and 1048575',
    });
  });
});

test('a process is kept alive by requests on the wire alone', async () => {
  expect(stage.wire.isKeptAlive).toBe(false);

  const replies = [session.exists('/a'), session.exists('/b')];
  expect(stage.wire.isKeptAlive).toBe(true);
  const [first, second] = stage.wire.asked;
  if (first === undefined || second === undefined) throw new Error('two were asked');
  stage.wire.answer(first, stat);
  expect(stage.wire.isKeptAlive).toBe(true);
  stage.wire.answer(second, stat);

  await Promise.all(replies);
  expect(stage.wire.isKeptAlive).toBe(false);
});
