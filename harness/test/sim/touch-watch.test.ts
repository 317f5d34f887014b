import { expect, test } from 'vitest';
import { RedisEngine } from '../../src/servers/redis/simulated/engine.ts';
import { KeyChangeWatch } from '../../src/servers/redis/simulated/key-change-watch.ts';

const EXTEND_IF = `if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('PEXPIRE', KEYS[1], ARGV[2]) end`;
const EXTEND = `return redis.call('PEXPIRE', KEYS[1], ARGV[2])`;

/** A server whose commands are watched, and a clock. */
function watched() {
  let client = '';
  let nowMs = 1_000;
  const touches = new KeyChangeWatch({ labels: ['renew', 'release'], nowMs: () => nowMs });
  const engine = new RedisEngine({
    nowUs: () => nowMs * 1_000,
    runId: 'a'.repeat(40),
    publish: () => 0,
    wrote: (effect) => touches.wrote(client, effect),
  });
  return {
    touches,
    pass: (ms: number): void => void (nowMs += ms),
    send: (by: string, label: string, ...args: readonly string[]): void => {
      client = by;
      touches.execute({ node: 'n1', client: by, label, args }, engine);
    },
  };
}

test('a renewal that compares reaches its own hold alone', () => {
  const { touches, send } = watched();
  send('a', 'acquire', 'SET', 'k', 'a:1', 'PX', '500');
  send('a', 'renew', 'EVAL', EXTEND_IF, '1', 'k', 'a:1', '900');
  send('b', 'renew', 'EVAL', EXTEND_IF, '1', 'k', 'b:1', '2000');

  expect(touches.all).toEqual([]);
});

test('a renewal that does not compare prolongs the hold of another, or shortens it', () => {
  const { touches, send } = watched();
  send('a', 'acquire', 'SET', 'k', 'a:1', 'PX', '500');
  send('b', 'renew', 'EVAL', EXTEND, '1', 'k', 'b:1', '900');
  send('b', 'renew', 'EVAL', EXTEND, '1', 'k', 'b:1', '400');

  const where = { atMs: 1_000, client: 'b', label: 'renew', node: 'n1', key: 'k', of: 'a' };
  expect(touches.all).toEqual([
    { ...where, how: 'prolonged' },
    { ...where, how: 'shortened' },
  ]);
});

test('a release that names no owner is allowed to the holder alone', () => {
  const { touches, send } = watched();
  send('a', 'acquire', 'SET', 'k', 'held', 'PX', '500');
  send('a', 'release', 'DEL', 'k');
  expect(touches.all).toEqual([]);

  send('b', 'acquire', 'SET', 'k', 'held', 'PX', '500');
  send('a', 'release', 'DEL', 'k');
  expect(touches.all).toMatchObject([{ client: 'a', of: 'b', how: 'deleted' }]);
});

test('a command of one attempt must not reach another attempt of the same client', () => {
  const { touches, send } = watched();
  send('a', 'acquire', 'SET', 'k', 'a:2', 'PX', '500');
  send('a', 'renew', 'EVAL', EXTEND, '1', 'k', 'a:1', '900');

  expect(touches.all).toMatchObject([{ client: 'a', of: 'a', how: 'prolonged' }]);
});

test('a command after the ttl finds nothing, and touches nothing', () => {
  const { touches, pass, send } = watched();
  send('a', 'acquire', 'SET', 'k', 'a:1', 'PX', '500');
  pass(501);
  send('b', 'release', 'DEL', 'k');

  expect(touches.all).toEqual([]);
});

test('an acquisition is not judged: it may take over what an earlier attempt left', () => {
  const { touches, send } = watched();
  send('a', 'acquire', 'SET', 'k', 'a:1', 'PX', '500');
  send('b', 'acquire', 'SET', 'k', 'b:1', 'PX', '500');

  expect(touches.all).toEqual([]);
});
