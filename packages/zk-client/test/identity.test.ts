import { expect, test } from 'vitest';
import { OpenError, ReplyError, UnknownOutcomeError } from '../src/errors.ts';
import { OP, XID } from '../src/operation.ts';
import { rejection, Stage, stat } from './by-hand.ts';

const USER = { scheme: 'digest', auth: 'user:pass-word' };
const AUTH = { xid: XID.auth };
const AUTHFAILED = -115;

test('identities are proven before the session is handed out', async () => {
  const stage = new Stage();
  let isOpen = false;
  const opening = stage.begin({ auth: [USER] }).then((session) => {
    isOpen = true;
    return session;
  });
  stage.wire.welcome();
  await Promise.resolve();

  const { type, body } = stage.wire.last;
  expect([type, body.int(), body.string(), body.string()]).toEqual([
    OP.auth,
    0,
    'digest',
    'user:pass-word',
  ]);
  expect(isOpen).toBe(false);
  stage.wire.answer(AUTH);

  expect((await opening).state).toBe('connected');
});

test('identities are proven again on every connection, before anything else', async () => {
  const stage = new Stage();
  const opening = stage.begin({ auth: [USER] });
  stage.wire.welcome();
  stage.wire.answer(AUTH);
  const session = await opening;
  const added = session.addAuth({ scheme: 'digest', auth: new Uint8Array([97, 58, 98]) });
  stage.wire.answer(AUTH);
  await added;

  stage.reconnect();

  expect(stage.wire.requests.map(({ type }) => type)).toEqual([OP.auth, OP.auth]);
});

test('a refused identity ends the opening, and the error does not tell the password', async () => {
  const stage = new Stage();
  const opening = stage.begin({ auth: [{ scheme: 'nonsense', auth: 'pass-word' }] });
  stage.wire.welcome();
  stage.wire.refuse(AUTH, AUTHFAILED);

  const error = await rejection(opening, OpenError);

  expect(error.code).toBe('AUTH_FAILED');
  expect(error.message).toContain('nonsense');
  expect(`${error.message}${error.stack}`).not.toContain('pass-word');
  expect(stage.clock.timersArmed).toBe(0);
});

test('a refused identity ends the session, for good', async () => {
  const stage = new Stage();
  const session = await stage.open();
  const waiting = session.exists('/a');
  const added = session.addAuth({ scheme: 'nonsense', auth: '' });
  stage.wire.refuse(AUTH, AUTHFAILED);

  expect((await rejection(added, ReplyError)).code).toBe('AUTHFAILED');
  await rejection(waiting, UnknownOutcomeError);
  expect(session.state).toBe('auth-failed');
});

test('an identity on the wire when the connection is lost is in doubt, and is proven on the next', async () => {
  const stage = new Stage();
  const session = await stage.open();
  const added = session.addAuth(USER);

  stage.reconnect();

  await rejection(added, UnknownOutcomeError);
  expect(stage.wire.requests.map(({ type }) => type)).toEqual([OP.auth]);
});

test('proving an identity does not count as a sign of life: it does not touch the session', async () => {
  const stage = new Stage();
  const session = await stage.open();
  const added = session.addAuth(USER);
  stage.wire.answer(AUTH);
  await added;
  const nowMs = stage.clock.now().monotonicMs;
  expect(session.answeredBefore(nowMs)).toBeUndefined();

  const looked = session.exists('/a');
  stage.wire.answer(stage.wire.last, stat);
  await looked;

  expect(session.answeredBefore(nowMs)?.monotonicMs).toBe(nowMs);
});
