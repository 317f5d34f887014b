import { NodeDoubt, NodeReplyError, NodeUnavailable } from '@holdfast/redis/port';
import { expect, test } from 'vitest';
import { type Message, SimRedisServer } from '../../src/simulator/index.ts';
import { failure, RedisWorld } from './support/redis-world.ts';

const SET = ['SET', 'k', 'v', 'PX', '10000'] as const;
const UNDO = ['EVAL', "return redis.call('DEL', KEYS[1])", '1', 'k'] as const;
/** Connecting, and HELLO. */
const CONNECT_MS = 4;

const isReplyTo =
  (label: string) =>
  ({ way, label: own }: Message): boolean =>
    way === 'reply' && own === label;

test('a command goes to the server and its reply comes back, a latency each way', async () => {
  const sim = new RedisWorld();
  const a = sim.client('a');

  await expect(sim.world.run(() => a.command(SET))).resolves.toBe('OK');

  expect(sim.read('k')).toBe('v');
  expect(sim.world.nowMs).toBe(CONNECT_MS + 2);
});

test('replies come in the order of the commands', async () => {
  const sim = new RedisWorld();
  const a = sim.client('a');
  const order: string[] = [];

  await sim.world.run(() =>
    Promise.all(
      ['1', '2', '3'].map((n) => a.command(['ECHO', n]).then((reply) => order.push(String(reply)))),
    ),
  );

  expect(order).toEqual(['1', '2', '3']);
});

test('an error reply is a NodeReplyError with its code', async () => {
  const sim = new RedisWorld();
  const a = sim.client('a');

  const error = await sim.world.run(() => failure(a.command(['NOSUCH'])));

  expect(error).toBeInstanceOf(NodeReplyError);
  expect(error).toMatchObject({ code: 'ERR' });
});

test('a lost reply is a doubt, and the command was applied', async () => {
  const sim = new RedisWorld();
  const a = sim.client('a');
  sim.network.rule((message) => (isReplyTo('SET')(message) ? 'reset' : 'pass'));

  const error = await sim.world.run(() => failure(a.command(SET)));

  expect(error).toBeInstanceOf(NodeDoubt);
  expect(error).toMatchObject({ undo: 'none' });
  expect(sim.read('k')).toBe('v');
});

test('after a lost connection the undo goes first on the next one, without an order to rely on', async () => {
  const sim = new RedisWorld();
  const a = sim.client('a');
  sim.network.rule((message) => (isReplyTo('SET')(message) ? 'reset' : 'pass'));

  const [error, undone] = await sim.world.run(async () => {
    const doubt = await failure(a.command(SET, 100, UNDO));
    return [doubt, doubt instanceof NodeDoubt && (await doubt.undone)];
  });

  expect(error).toMatchObject({ name: 'NodeDoubt', undo: 'unordered' });
  expect(undone).toBe(true);
  expect(sim.read('k')).toBeNull();
});

test('at the deadline the undo goes out behind the command, on the same connection', async () => {
  const sim = new RedisWorld();
  const a = sim.client('a');
  sim.network.rule((message) => (isReplyTo('SET')(message) ? { delayMs: 200 } : 'pass'));

  const [error, undone] = await sim.world.run(async () => {
    const doubt = await failure(a.command(SET, 100, UNDO));
    return [doubt, doubt instanceof NodeDoubt && (await doubt.undone)];
  });

  expect(error).toMatchObject({ name: 'NodeDoubt', undo: 'ordered' });
  expect(undone).toBe(true);
  expect(sim.read('k')).toBeNull();
});

test('a message that a dead connection still has in flight arrives behind the undo of the next connection', async () => {
  const sim = new RedisWorld();
  const a = sim.client('a', sim.server, { silenceMs: 50 });
  sim.network.rule(({ way, label }) =>
    way === 'request' && label === 'SET' ? { delayMs: 60_000 } : 'pass',
  );

  const undone = await sim.world.run(async () => {
    await a.command(['PING']);
    const doubt = await failure(a.command(SET, 200, UNDO));
    const proof = doubt instanceof NodeDoubt && (await doubt.undone);
    expect(sim.read('k')).toBeNull();
    await sim.world.advance(61_000);
    return proof;
  });

  expect(undone).toBe(true);
  expect(sim.read('k')).toBe('v');
});

test('nothing is sent after its deadline', async () => {
  const sim = new RedisWorld();
  const a = sim.client('a');

  const error = await sim.world.run(() => failure(a.command(SET, CONNECT_MS - 1)));
  await sim.world.advance(1_000);

  expect(error).toBeInstanceOf(NodeUnavailable);
  const sent = sim.world.trace.records.filter(
    ({ kind, label }) => kind === 'send' && label === 'SET',
  );
  expect(sent).toEqual([]);
});

test('while a server is down its node is unavailable; once it is back, the node finds it', async () => {
  const sim = new RedisWorld();
  const a = sim.client('a');

  const [down, back] = await sim.world.run(async () => {
    await a.command(SET);
    sim.server.restart({ data: 'durable', downMs: 500 });
    await sim.world.advance(10);
    const refused = await failure(a.command(SET));
    await sim.world.advance(2_000);
    return [refused, await a.command(['GET', 'k'])];
  });

  expect(down).toBeInstanceOf(NodeUnavailable);
  expect(back).toBe('v');
});

test('a script goes out in full on every new connection, and again where the server has forgotten it', async () => {
  const sim = new RedisWorld();
  const a = sim.client('a');
  const script = { name: 'answer', source: 'return 42' };

  const replies = await sim.world.run(async () => {
    const first = await a.script(script, [], []);
    const second = await a.script(script, [], []);
    sim.server.restart({ data: 'durable' });
    await sim.world.advance(100);
    const third = await a.script(script, [], []);
    await a.command(['SCRIPT', 'FLUSH']);
    return [first, second, third, await a.script(script, [], [])];
  });

  expect(replies).toEqual([42, 42, 42, 42]);
  const runs = sim.world.trace.records.filter(
    ({ kind, label }) => kind === 'exec' && label === 'answer',
  );
  expect(runs).toHaveLength(5);
});

test('a silent connection is abandoned and dialled again', async () => {
  const sim = new RedisWorld();
  const a = sim.client('a', sim.server, { silenceMs: 100 });

  const reply = await sim.world.run(async () => {
    await a.command(SET);
    const stop = sim.network.rule(({ way, label }) =>
      way === 'reply' && label === 'PING' ? 'drop' : 'pass',
    );
    expect(await failure(a.command(['PING'], 50))).toBeInstanceOf(NodeDoubt);
    stop();
    expect(await failure(a.command(['GET', 'k'], 20))).toBeInstanceOf(NodeDoubt);
    await sim.world.advance(250);
    return a.command(['GET', 'k']);
  });

  expect(reply).toBe('v');
});

test('a subscriber receives publications, and is notified of a gap after its connection was lost', async () => {
  const sim = new RedisWorld();
  const a = sim.client('a');
  const b = sim.client('b');
  const heard: string[] = [];

  await sim.world.run(async () => {
    await a.node.subscribe('c', ({ kind }) => heard.push(kind));
    await b.command(['PUBLISH', 'c', 'x']);
    await sim.world.advance(10);
    sim.server.breakConnections();
    await sim.world.advance(100);
    await b.command(['PUBLISH', 'c', 'y']);
    await sim.world.advance(10);
  });

  expect(heard).toEqual(['message', 'gap', 'gap', 'message']);
});

test('a closed subscription receives nothing more', async () => {
  const sim = new RedisWorld();
  const a = sim.client('a');
  const b = sim.client('b');
  const heard: string[] = [];

  const receivers = await sim.world.run(async () => {
    const subscription = await a.node.subscribe('c', ({ kind }) => heard.push(kind));
    subscription.close();
    await sim.world.advance(10);
    return b.command(['PUBLISH', 'c', 'x']);
  });

  expect(receivers).toBe(0);
  expect(heard).toEqual([]);
});

test('a stall before a call delays its departure; a crash right after it does not call it back', async () => {
  const sim = new RedisWorld();
  const a = sim.client('a');
  const b = sim.client('b');
  a.process.stallBefore('SET', 1, 5_000);
  b.process.anchor('after', 'SET', 1, () => b.process.crash());

  await sim.world.run(async () => {
    void failure(a.command(['SET', 'late', '1']));
    void failure(b.command(['SET', 'last', '1']));
    await sim.world.advance(1_000);
    expect(sim.read('late')).toBeNull();
    expect(sim.read('last')).toBe('1');
    await sim.world.advance(5_000);
    expect(sim.read('late')).toBe('1');
  });
});

test('two clients of two servers do not affect each other', async () => {
  const sim = new RedisWorld();
  const other = new SimRedisServer(sim.world, 'n2');
  const a = sim.client('a');
  const b = sim.client('b', other);

  await sim.world.run(() => Promise.all([a.command(SET), b.command(['SET', 'k', 'w'])]));

  expect([sim.read('k'), sim.read('k', other)]).toEqual(['v', 'w']);
});

test('a closed node refuses calls and leaves no timer', async () => {
  const sim = new RedisWorld();
  const a = sim.client('a');

  const error = await sim.world.run(async () => {
    await a.command(SET);
    await a.node.close();
    return failure(a.command(SET));
  });

  expect(error).toBeInstanceOf(NodeUnavailable);
  expect(sim.world.pendingTimers()).toBe(0);
});

test('an undo that waits for a connection is not sent when it is no longer wanted by then', async () => {
  const sim = new RedisWorld();
  const a = sim.client('a');
  let isWanted = true;
  sim.server.anchor('after', 'SET', 1, () => sim.server.restart({ data: 'durable', downMs: 500 }));

  await sim.world.run(async () => {
    const deadlineMs = a.process.clocks.monotonicMs + 100;
    const keepUntilMs = deadlineMs + 60_000;
    const undo = { args: UNDO, keepUntilMs, wanted: () => isWanted };
    await failure(a.node.command(SET, { deadlineMs, undo }));
    isWanted = false;
    await sim.world.advance(3_000);
  });

  expect(sim.read('k')).toBe('v');
});

test('a trace calls a script by its name, and an undo an undo even where it is the same script', async () => {
  const sim = new RedisWorld();
  const a = sim.client('a');
  const script = { name: 'remove', source: UNDO[1] };
  sim.network.rule((message) => (isReplyTo('SET')(message) ? { delayMs: 200 } : 'pass'));

  await sim.world.run(async () => {
    await a.script(script, ['k'], []);
    const doubt = await failure(a.command(SET, 100, UNDO));
    if (doubt instanceof NodeDoubt) await doubt.undone;
  });

  const executed = sim.world.trace.records.filter(({ kind }) => kind === 'exec');
  expect(executed.map(({ label }) => label)).toEqual(['HELLO', 'remove', 'SET', 'undo']);
});
