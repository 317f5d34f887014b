import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { ConfigError, type LockEvent } from '@holdfast/core';
import { createHost } from '@holdfast/core/backend';
import { expect, test } from 'vitest';
import { VirtualRuntime } from '../../core/test/kit/virtual-runtime.ts';
import { NodeUnavailable, type RedisNode } from '../src/port.ts';
import { checkNode } from '../src/recipe/node-check.ts';
import { openSingleNode } from '../src/recipe/opening.ts';
import { passing } from './support/passing.ts';

test('a node that cannot be reached is reported by a warning, with the cause', async () => {
  const events: LockEvent[] = [];
  const host = createHost({ on: { warning: (event) => events.push(event) } });
  const cause = new NodeUnavailable('not connected');
  const command = (): Promise<never> => Promise.reject(cause);
  const node = { address: 'n:1', command } as unknown as RedisNode;

  const description = await checkNode(node, host, { backend: 'a-recipe' });

  expect(description).toBeUndefined();
  expect(events).toEqual([
    {
      type: 'warning',
      backend: 'a-recipe',
      code: 'unchecked-node',
      message: 'n:1 did not report its version, role and eviction policy',
      cause,
    },
  ]);
});

test('a cluster is refused by a recipe that counts on one server', async () => {
  const cluster = { sharesSlot: () => true, masters: () => Promise.resolve([]) };
  const node = { address: 'a:1,b:2', cluster } as unknown as RedisNode;

  const checking = checkNode(node, createHost(), { backend: 'a-recipe' });

  await expect(checking).rejects.toThrow('a-recipe needs standalone servers, and a:1,b:2 is a');
  await expect(checking).rejects.toBeInstanceOf(ConfigError);
});

test('sentinels are asked what they speak with the options that they are opened with', async () => {
  const server = createServer((socket) => {
    socket.on('error', () => undefined).on('data', () => socket.end('-ERR what\r\n'));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const source = `redis+sentinel://127.0.0.1:${port}/mymaster`;
  const runtime = new VirtualRuntime();
  const host = { runtime, label: 'box', emit: () => undefined };

  const opening = openSingleNode(
    { source, sentinelTls: true, library: 'resp' },
    { backend: 'a-recipe', rights: {} },
    host,
  );

  await expect(passing(runtime, opening)).rejects.toThrow(
    /does not speak TLS: set sentinelTls to false/,
  );
  server.close();
});
