import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { RedisServer } from '../../../../harness/test/kit/real-servers.ts';
import { openRedisNode } from '../../src/index.ts';
import type { RedisNode } from '../../src/port.ts';
import { inMs, LIBRARIES, runtime } from '../kit/real-node.ts';
import { Gate } from './support/gate.ts';

/** Far above what a test takes: a connection that is left to this limit fails the test. */
const CONNECT_MS = 600_000;
/** More than dialling takes on loopback. */
const TURNS = 40;

let server: RedisServer;
let gate: Gate;
beforeEach(async () => {
  server = await RedisServer.start({ args: ['--requirepass', 'secret'] });
  gate = await Gate.start(server.port);
});
afterEach(async () => {
  await gate.close();
  await server.close();
});

describe.each(LIBRARIES)('a node through %s leaves no connection when it is closed', (library) => {
  const open = (scheme = 'redis'): Promise<RedisNode> =>
    openRedisNode(`${scheme}://:secret@127.0.0.1:${gate.port}/1`, {
      runtime,
      library,
      connectMs: CONNECT_MS,
    });
  const openAndGreet = async (): Promise<RedisNode> => {
    const node = await open();
    await node.command(['PING'], { deadlineMs: inMs(10_000) });
    return node;
  };

  // AUTH, SELECT, and our greeting.
  test.each([0, 1, 2])('while its server is silent after %i commands', async (commands) => {
    gate.commands = commands;
    const node = await open();
    await gate.holds();

    await node.close();

    await expect(gate.left()).resolves.toBeUndefined();
  });

  test('while its server is silent before TLS is agreed on', async () => {
    gate.commands = 0;
    const node = await open('rediss');
    await gate.holds();

    await node.close();

    await expect(gate.left()).resolves.toBeUndefined();
  });

  // AUTH, SELECT, and SUBSCRIBE.
  test.each([0, 1, 2])('while it subscribes, and is silent after %i commands', async (commands) => {
    const node = await openAndGreet();
    gate.commands = commands;
    const subscribing = node.subscribe('c', () => undefined).catch((error: unknown) => error);
    await gate.holds();

    await node.close();

    expect(await subscribing).toMatchObject({ name: 'NodeUnavailable' });
    await expect(gate.left()).resolves.toBeUndefined();
  });

  test('at any turn of the event loop after it was opened', async () => {
    for (let turns = 0; turns < TURNS; turns++) {
      const node = await open();
      await pass(turns);
      await node.close();
      await expect(gate.left()).resolves.toBeUndefined();
    }
  });

  test('at any turn of the event loop after it began to subscribe', async () => {
    for (let turns = 0; turns < TURNS; turns++) {
      const node = await openAndGreet();
      void node.subscribe('c', () => undefined).catch(() => undefined);
      await pass(turns);
      await node.close();
      await expect(gate.left()).resolves.toBeUndefined();
    }
  });

  test('within the turn in which it was opened', async () => {
    for (let steps = 0; steps < TURNS; steps++) {
      const node = await open();
      for (let step = 0; step < steps; step++) await Promise.resolve();
      await node.close();
      await expect(gate.left()).resolves.toBeUndefined();
    }
  });
});

async function pass(turns: number): Promise<void> {
  for (let turn = 0; turn < turns; turn++) await new Promise((done) => void setImmediate(done));
}
