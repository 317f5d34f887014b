import { expect, test } from 'vitest';
import { PlaceLog } from '../../src/servers/redis/simulated/place-log.ts';
import { engineStage } from './support/engine-stage.ts';

const FIRST = 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa';
const SECOND = 'bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb';

/** A server, and the log of the places in its queue. */
function logged() {
  const stage = engineStage();
  const log = new PlaceLog((member) => member);
  const execute = (...args: string[]): void => {
    stage.engine.execute(args);
    log.executed({ node: 'n1', client: 'a', label: args[0] ?? '', args }, stage.engine);
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
