import { beforeEach, describe, expect, test } from 'vitest';
import type { OutgoingCommand } from '../../src/link.ts';
import { Node } from '../../src/node.ts';
import { NodeDoubt, type RedisNode } from '../../src/port.ts';
import { STRAGGLER_MS } from '../../src/sentinel/master-search.ts';
import { RECHECK_MS } from '../../src/sentinel/sentinel-dialer.ts';
import { HandRuntime } from '../support/by-hand.ts';
import { HandSentinels, settle } from '../support/sentinels-by-hand.ts';

const PING: OutgoingCommand = {
  args: ['PING'],
  isUndo: false,
  isSent: false,
  markSent: () => true,
  answered: () => undefined,
  refused: () => undefined,
  notSent: () => undefined,
};

let runtime: HandRuntime;
let sentinels: HandSentinels;
let log: string[];
beforeEach(() => {
  runtime = new HandRuntime();
  sentinels = new HandSentinels(runtime);
  log = [];
});

function dial(): ReturnType<HandSentinels['dialer']['dial']> {
  return sentinels.dialer.dial('commands', {
    ready: () => log.push('ready'),
    closed: (cause) => log.push(`${cause.name}: ${cause.message}`),
    published: () => undefined,
    unsubscribed: () => undefined,
  });
}

/** A link to the server on port 1, by the epoch 1. */
async function connect(): Promise<void> {
  dial();
  await sentinels.name(1, 1);
  await sentinels.accept(1);
}

describe('the master is the one of the highest epoch', () => {
  test('not the one of the sentinel that answers first', async () => {
    const [first, second, third] = sentinels.all;
    dial();

    await first.names(1, 1);
    await second.names(2, 2);
    await third.isDown();
    await first.knows('a', ['b']);
    await second.knows('b', ['a']);

    expect(sentinels.at(2).links).toHaveLength(1);
    expect(sentinels.at(1).links).toEqual([]);
  });

  test('those that do not answer are waited for a moment, no longer', async () => {
    const [first] = sentinels.all;
    dial();
    await first.names(1, 1);

    runtime.pass(STRAGGLER_MS - 1);
    await settle();
    expect(sentinels.at(1).links).toEqual([]);
    runtime.pass(1);
    await settle();

    expect(sentinels.at(1).links).toHaveLength(1);
  });

  test('an older one than before is refused, unless most sentinels say so', async () => {
    const [first, second, third] = sentinels.all;
    dial();
    await sentinels.name(1, 5);
    dial();
    await first.names(2, 4);
    await second.isDown();
    await third.isDown();

    expect(log).toEqual([expect.stringContaining('outdated')]);
    dial();
    await first.names(2, 4);
    await second.names(2, 4);
    await third.isDown();

    expect(sentinels.at(2).links).toHaveLength(1);
  });
});

describe('a link is ready', () => {
  test('once the server says that it is a master', async () => {
    dial();
    await sentinels.name(1, 1);
    sentinels.at(1).last.events.ready();
    await settle();
    expect(log).toEqual([]);

    await sentinels.accept(1);

    expect(log).toEqual(['ready']);
  });

  test('never if it is a replica', async () => {
    dial();
    await sentinels.name(1, 1);

    await sentinels.accept(1, 'replica');

    expect(log).toEqual([expect.stringContaining('10.0.0.1:1 is a replica')]);
    expect(sentinels.at(1).last.isClosed).toBe(true);
  });

  test('never after it was closed, even while the sentinels are asked', async () => {
    dial().close();

    await sentinels.name(1, 1);

    expect(log).toEqual([]);
    expect(sentinels.at(1).links).toEqual([]);
  });
});

describe('a link ends as soon as another server is the master', () => {
  test('because a sentinel publishes it', async () => {
    await connect();
    const { subscriber } = sentinels.all[0];
    subscriber.events.ready();
    await settle();
    subscriber.confirm();
    await sentinels.name(1, 1);
    expect(log).toEqual(['ready']);

    subscriber.events.published('+switch-master');
    await sentinels.name(2, 2);

    expect(log).toEqual(['ready', expect.stringContaining('moved to 10.0.0.1:2')]);
    expect(sentinels.at(1).last.isClosed).toBe(true);
  });

  test('or because the sentinels are asked again after use, and only then', async () => {
    const link = dial();
    await sentinels.name(1, 1);
    await sentinels.accept(1);
    const [first] = sentinels.all;
    const before = first.asked;
    runtime.pass(2 * RECHECK_MS);
    await settle();
    expect(first.asked).toBe(before);

    link.send(PING);
    runtime.pass(RECHECK_MS);
    await sentinels.name(2, 2);

    expect(log).toEqual(['ready', expect.stringContaining('moved to 10.0.0.1:2')]);
  });

  test('also one that was dialled by the answer to an older question', async () => {
    const { all } = sentinels;
    const link = dial();
    await sentinels.name(1, 1);
    await sentinels.accept(1);
    link.send(PING);
    runtime.pass(RECHECK_MS - 100);
    dial();
    await settle();
    const older = all.map(({ question }) => question);
    const answerLater = async (): Promise<void> => {
      for (const [at, sentinel] of all.entries())
        if (sentinel.question !== older[at]) await sentinel.names(2, 2);
    };
    runtime.pass(100);
    await settle();

    // Two questions at once would be answered in any order.
    await answerLater();
    for (const [at, sentinel] of all.entries()) await sentinel.names(1, 1, older[at]);
    await answerLater();

    expect(sentinels.at(1).links.map(({ isClosed }) => isClosed)).toEqual([true, true]);
  });
});

test('the pause after a failed attempt ends when a sentinel publishes a new master', async () => {
  const { dialer } = sentinels;
  const node = new Node({ runtime, dialer, connectMs: 2_000, silenceMs: 2_000 });
  // The second attempt is made at once, the third after a pause.
  for (let attempts = 0; attempts < 2; attempts++) {
    await sentinels.name(1, 1);
    sentinels.at(1).last.events.closed(new Error('ECONNREFUSED'));
  }
  const { subscriber } = sentinels.all[0];
  subscriber.events.ready();
  await settle();
  subscriber.confirm();
  await settle();

  subscriber.events.published('+switch-master');
  await settle();
  // The search of the new attempt, and the one that looks if a connection has to move.
  for (const sentinel of sentinels.all)
    for (const question of sentinel.links.filter(({ purpose }) => purpose === 'commands').slice(-2))
      await sentinel.names(2, 2, question);

  expect(sentinels.at(2).links).toHaveLength(1);
  await node.close();
});

describe('a configuration that is wrong is a ConfigError', () => {
  test('if most sentinels do not know the master', async () => {
    const [first, second, third] = sentinels.all;
    dial();
    await first.refuses('ERR No such master with that name');
    await second.refuses('ERR No such master with that name');
    await third.names(1, 1);

    expect(log).toEqual([expect.stringMatching(/^ConfigError: no master is called "m".*s:1, s:2/)]);
  });

  test('not if one of them does not', async () => {
    const [first, second, third] = sentinels.all;
    dial();
    await first.refuses('ERR No such master with that name');
    await second.names(1, 1);
    await third.isDown();

    expect(sentinels.at(1).links).toHaveLength(1);
  });

  test('if one is no sentinel, at first; later the others serve without it', async () => {
    const [first, second, third] = sentinels.all;
    const unknown = "ERR unknown command 'SENTINEL', with args beginning with: 'MASTER'";
    dial();
    await first.names(1, 1);
    await second.names(1, 1);
    await third.refuses(unknown);
    expect(log).toEqual([expect.stringMatching(/^ConfigError: s:3 is not a sentinel/)]);

    dial();
    await sentinels.name(1, 1);
    dial();
    await first.names(1, 1);
    await second.names(1, 1);
    await third.refuses(unknown);

    expect(sentinels.at(1).links).toHaveLength(2);
  });

  test('if two name different masters, and do not know each other', async () => {
    const [first, second, third] = sentinels.all;
    dial();
    await first.names(1, 1);
    await second.names(2, 2);
    await third.isDown();
    await first.knows('a', ['c']);
    await second.knows('b', ['d']);

    expect(log).toEqual([expect.stringMatching(/^ConfigError: the list mixes/)]);
  });
});

describe('a command that was in doubt on the old master', () => {
  const undo = { args: ['UNDO'], keepUntilMs: 60_000 };

  async function inDoubt(node: RedisNode): Promise<NodeDoubt> {
    await sentinels.name(1, 1);
    await sentinels.accept(1);
    sentinels.at(1).last.written.at(-1)?.answered('hello');
    await settle();
    const deadlineMs = runtime.now().monotonicMs + 100;
    const command = node.command(['SET'], { deadlineMs, undo });
    sentinels.at(1).last.events.closed(new Error('reset'));
    const doubt: unknown = await command.catch((error: unknown) => error);
    if (!(doubt instanceof NodeDoubt)) throw new Error('not in doubt', { cause: doubt });
    return doubt;
  }

  test.each([
    [1, true],
    [2, false],
  ])('if the server on port %i answers its undo, it is undone: %s', async (port, isUndone) => {
    const { dialer } = sentinels;
    const node = new Node({ runtime, dialer, connectMs: 2_000, silenceMs: 2_000 });
    const doubt = await inDoubt(node);

    await sentinels.name(port, 2);
    const link = await sentinels.accept(port);
    link.written.at(-1)?.answered('hello');
    await settle();
    expect(link.names.at(-1)).toBe('UNDO');
    link.written.at(-1)?.answered(1);

    expect(await doubt.undone).toBe(isUndone);
    await node.close();
  });
});

test('nothing is left when it is closed', async () => {
  dial().close();
  await settle();
  sentinels.dialer.close();

  runtime.pass(60_000);
  await settle();

  expect(runtime.timersArmed).toBe(0);
  const open = sentinels.all.flatMap(({ links }) => links.filter(({ isClosed }) => !isClosed));
  expect(open).toEqual([]);
});
