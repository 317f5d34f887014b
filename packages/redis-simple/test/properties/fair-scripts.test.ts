import type { EngineReply } from '@holdfast/harness/simulator';
import { expect, test } from 'vitest';
import { NOW_US, ScriptServer } from '../../../../test/support/script-server.ts';
import {
  ACQUIRE_FAIR,
  ATTEND,
  FORCE_FAIR,
  INSPECT_FAIR,
  LEAVE,
  RELEASE_FAIR,
} from '../../src/fair/scripts.ts';

const KEYS = ['lock', 'channel', 'queue', 'present'];
const BUSY = expect.any(Array);

function acquire(at: ScriptServer, contender: string, process: string, n = 1): EngineReply {
  return at.run(ACQUIRE_FAIR, [...KEYS, 'fence'], [`${contender}:0${n}:box`, '30000', process]);
}

function release(at: ScriptServer, contender: string, n = 1): EngineReply {
  return at.run(RELEASE_FAIR, KEYS, [`${contender}:0${n}:box`]);
}

function leave(at: ScriptServer, contender: string, process: string): EngineReply {
  return at.run(LEAVE, KEYS, [`${process}:${contender}:box`, `${contender}:00:box`]);
}

function stored(at: ScriptServer): EngineReply {
  return at.engine.execute(['GET', 'lock']);
}

/** The claim of a chosen waiter did not come in time. */
function letExpire(at: ScriptServer): void {
  at.engine.execute(['DEL', 'lock']);
}

/** A holds; b, c and d wait, of a process each. */
function line(): ScriptServer {
  const at = new ScriptServer();
  acquire(at, 'a', 'pa');
  for (const name of ['b', 'c', 'd']) acquire(at, name, `p${name}`);
  return at;
}

test('a release reserves the key for the first in line, and tells it and the one that moves up', () => {
  const at = line();

  expect(release(at, 'a')).toBe(1);

  expect(stored(at)).toBe('b:00:box');
  expect(at.engine.execute(['PTTL', 'lock'])).toBe(500);
  expect(at.published).toEqual(['go:b', 'watch:d']);
});

test('only the chosen waiter can take a reserved key, and it leaves the queue', () => {
  const at = line();
  release(at, 'a');

  expect(acquire(at, 'c', 'pc', 2)).toEqual([500, 1, 2, 0]);
  expect(acquire(at, 'new', 'pn')).toEqual([500, 3, 4, 0]);
  expect(acquire(at, 'b', 'pb', 2)).toBe(`${NOW_US + 1}`);
  expect(at.engine.execute(['ZRANGE', 'queue', '0', '-1'])).toEqual([
    'pc:c:box',
    'pd:d:box',
    'pn:new:box',
  ]);
});

test('the last that leaves the queue leaves nothing', () => {
  const at = new ScriptServer();
  acquire(at, 'a', 'pa');
  acquire(at, 'b', 'pb');
  release(at, 'a');
  acquire(at, 'b', 'pb', 2);
  release(at, 'b', 2);

  expect(at.engine.keysNow()).toEqual(['fence']);
});

test('500 waiters of one dead process cost one claim', () => {
  const at = new ScriptServer();
  acquire(at, 'a', 'pa');
  for (let i = 0; i < 500; i++) acquire(at, `dead${i}`, 'pd');
  acquire(at, 'b', 'pb');
  release(at, 'a');
  letExpire(at);

  acquire(at, 'b', 'pb', 2);

  expect(stored(at)).toBe('b:02:box');
  expect(at.engine.execute(['ZCARD', 'queue'])).toBe(0);
});

test('a waiter that missed its turn goes, but others of its process stay if it calls', () => {
  const at = line();
  acquire(at, 'b2', 'pb');
  release(at, 'a');
  letExpire(at);

  expect(acquire(at, 'b2', 'pb', 2)).toEqual(BUSY);

  expect(stored(at)).toBe('c:00:box');
  expect(at.engine.execute(['ZRANGE', 'queue', '0', '-1'])).toEqual([
    'pc:c:box',
    'pd:d:box',
    'pb:b2:box',
  ]);
});

test('the chosen waiter may come late, as long as nobody else was chosen', () => {
  const at = line();
  release(at, 'a');
  letExpire(at);

  expect(acquire(at, 'b', 'pb', 2)).toBe(`${NOW_US + 1}`);
});

test('a free key for which others wait is reserved for the first of them', () => {
  const at = line();
  letExpire(at);

  expect(acquire(at, 'new', 'pn')).toEqual(BUSY);
  expect(stored(at)).toBe('b:00:box');
});

test('a chosen waiter that leaves lets the next one have its turn', () => {
  const at = line();
  release(at, 'a');

  expect(leave(at, 'b', 'pb')).toBe(1);
  expect(stored(at)).toBe('c:00:box');
  expect(leave(at, 'b', 'pb')).toBe(0);
});

test('leaving touches no hold, not even of the same contender', () => {
  const at = line();

  leave(at, 'a', 'pa');

  expect(stored(at)).toBe('a:01:box');
});

test('an undo takes no place', () => {
  const at = line();

  expect(release(at, 'b')).toBe(0);
  expect(at.engine.execute(['ZRANK', 'queue', 'pb:b:box'])).toBe(0);
});

test('a process learns that a place of it is gone, and its sign of life serves a key that has expired', () => {
  const at = line();
  letExpire(at);

  expect(at.run(ATTEND, KEYS, ['pc', 'pc:c:box', 'pc:c:box'])).toBe(1);
  expect(stored(at)).toBe('b:00:box');
  expect(at.run(ATTEND, KEYS, ['pc', 'pc:c:box', 'pc:gone:box'])).toBe(0);
});

test('a forced release chooses the next, and leaves a reservation alone', () => {
  const at = line();

  expect(at.run(FORCE_FAIR, KEYS)).toBe(1);
  expect(stored(at)).toBe('b:00:box');
  expect(at.run(FORCE_FAIR, KEYS)).toBe(0);
  expect(stored(at)).toBe('b:00:box');
});

test('a holder without a queue is noticed', () => {
  const at = new ScriptServer();
  at.engine.execute(['SET', 'lock', 'u:1:box', 'PX', '1000']);

  expect(acquire(at, 'a', 'pa')).toEqual([1000, 0, 1, 1]);
});

test('a foreign key or fence gets no queue', () => {
  const at = new ScriptServer();
  at.engine.execute(['SET', 'lock', 'foreign', 'PX', '1000']);
  expect(acquire(at, 'a', 'pa')).toBe(-2);
  at.engine.execute(['SET', 'lock', 'u:1:box']);
  expect(acquire(at, 'a', 'pa')).toBe(-1);
  at.engine.execute(['DEL', 'lock']);
  at.engine.execute(['SET', 'fence', 'x']);
  expect(acquire(at, 'a', 'pa')).toBe(-3);

  expect(at.engine.execute(['EXISTS', 'queue'])).toBe(0);
});

test('an operator sees how many wait', () => {
  expect(line().run(INSPECT_FAIR, ['lock', 'fence', 'queue'])).toEqual([
    'a:01:box',
    30_000,
    `${NOW_US}`,
    3,
  ]);
});

test('a replica refuses what it could not know', () => {
  const at = ScriptServer.replica('a:01:box');
  const refused = { error: expect.stringContaining('READONLY') };

  expect(release(at, 'b')).toEqual(refused);
  expect(leave(at, 'b', 'pb')).toEqual(refused);
  expect(at.run(FORCE_FAIR, KEYS)).toEqual(refused);
});
