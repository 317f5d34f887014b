import { expect, test } from 'vitest';
import { queueOf } from '../../src/servers/redis/simulated/queue-of.ts';
import { PlaceLog } from '../../src/sim/schedule/place-log.ts';
import { engineStage } from './support/engine-stage.ts';

const FIRST = 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa';
const SECOND = 'bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb';

const READING = {
  waiterOf: (member: string, key: string) => (key === 'queue' ? member : undefined),
  placesEnd: true,
};

/** A server, and the log of the places in its queue. */
function logged() {
  const stage = engineStage();
  const log = new PlaceLog();
  const execute = (...args: string[]): void => {
    stage.engine.execute(args);
    log.executed('n1', queueOf(stage.engine, args, READING));
  };
  const claim = (contender: string, label: string): void =>
    execute(
      'EVAL',
      "redis.call('ZREM', 'queue', ARGV[1]) redis.call('SET', 'lock', ARGV[2])",
      '0',
      contender,
      `${contender}:1:${label}`,
    );
  return { stage, log, execute, claim };
}

test('a holder has the number of its arrival in the queue', () => {
  const { log, execute, claim } = logged();

  execute('ZADD', 'queue', '1', FIRST);
  execute('ZADD', 'queue', '2', SECOND);
  claim(SECOND, 'b');
  claim(FIRST, 'a');

  expect(log.ticketOf(`${FIRST}:1:a`)).toBe(1);
});

test('a holder whose key expired while the server executed nothing arrives anew when it queues again', () => {
  const { stage, log, execute, claim } = logged();

  execute('SET', 'lock', `${FIRST}:5:a`, 'PX', '1000');
  execute('ZADD', 'queue', '1', SECOND);
  stage.nowMs += 2_000;
  execute('ZADD', 'queue', '2', FIRST);
  claim(SECOND, 'b');
  claim(FIRST, 'a');

  expect(log.ticketOf(`${SECOND}:1:b`)).toBe(2);
  expect(log.ticketOf(`${FIRST}:1:a`)).toBe(3);
});

test('one that has lost its place, and comes back at the end, arrives anew', () => {
  const { log, execute, claim } = logged();

  execute('ZADD', 'queue', '1', FIRST);
  execute('ZADD', 'queue', '2', SECOND);
  execute('ZADD', 'queue', '3', FIRST);
  claim(SECOND, 'b');
  claim(FIRST, 'a');

  expect(log.ticketOf(`${SECOND}:1:b`)).toBe(2);
  expect(log.ticketOf(`${FIRST}:1:a`)).toBe(3);
});

test('one of several holders is recognised, in front of those that came with it and wait', () => {
  const { log, execute, claim } = logged();

  execute(
    'EVAL',
    "redis.call('ZADD', 'queue', 1, ARGV[1]) redis.call('ZADD', 'holders', 9, ARGV[2])",
    '0',
    FIRST,
    `1/2/${SECOND}:1:b`,
  );
  claim(FIRST, 'a');

  expect(log.ticketOf(`${SECOND}:1:b`)).toBe(1);
  expect(log.ticketOf(`${FIRST}:1:a`)).toBe(2);
});
