import { EventEmitter } from 'node:events';
import type { LockEvent } from '@holdfast/core';
import type { Host } from '@holdfast/core/backend';
import { expect, test, vi } from 'vitest';
import { VirtualRuntime } from '../../core/test/kit/virtual-runtime.ts';
import type { IoredisClient } from '../src/adapters/clients.ts';
import { NodeUnavailable, type RedisNode } from '../src/port.ts';
import { RedisBackend } from '../src/recipe/backend.ts';
import { LateCheck } from '../src/recipe/late-check.ts';
import { openSingleNode } from '../src/recipe/opening.ts';
import { passing } from './support/passing.ts';

const BACKEND = 'a-recipe';

function listen(): { runtime: VirtualRuntime; events: LockEvent[]; host: Host } {
  const runtime = new VirtualRuntime();
  const events: LockEvent[] = [];
  return { runtime, events, host: { runtime, label: 'box', emit: (event) => events.push(event) } };
}

/** A server that is down at first, and later denies its user GET; reached by a client of ioredis. */
class DenyingServer {
  isUp = false;

  client(): IoredisClient {
    const client = new EventEmitter();
    const stream = { writable: true, writableNeedDrain: false, once: () => undefined };
    const sockets = { ref: () => undefined, unref: () => undefined };
    const corks = { cork: () => undefined, uncork: () => undefined };
    return Object.assign(client, {
      status: 'wait',
      options: { path: '/run/redis.sock' },
      stream: { ...stream, ...sockets, ...corks },
      duplicate: () => this.client(),
      connect: () => {
        Object.assign(client, { status: this.isUp ? 'ready' : 'end' });
        queueMicrotask(() => client.emit(this.isUp ? 'ready' : 'close'));
        return Promise.resolve();
      },
      disconnect: () => undefined,
      call: (name = '') => Promise.resolve(this.#reply(name)),
    });
  }

  #reply(name: string): unknown {
    if (name === 'EVAL') return [['get', "NOPERM this user may not run the 'get' command"]];
    return name === 'INFO'
      ? 'redis_version:7.4.0\r\nrole:master\r\nmaxmemory_policy:noeviction'
      : [];
  }
}

test('a server that was down when its locks were opened is checked for its user’s rights once it is up', async () => {
  const { runtime, events, host } = listen();
  const server = new DenyingServer();
  const needs = { backend: BACKEND, rights: { scripted: ['get'] } } as const;
  const opening = openSingleNode({ source: server.client() }, needs, host);
  const { lateCheck, node } = await passing(runtime, opening);
  expect(events).toMatchObject([{ code: 'unchecked-node' }]);

  server.isUp = true;
  await runtime.pass(5_000);
  // What tells of a right that is missing is loaded only then.
  await vi.waitUntil(() => events.length > 1, { timeout: 5_000, interval: 5 });

  expect(events.slice(1)).toMatchObject([
    { code: 'unfit-node', message: expect.stringContaining('add ACL SETUSER <user> +get') },
  ]);
  lateCheck?.close();
  await node.close();
});

test('a backend that is closed looks no longer whether its server is up', async () => {
  const { runtime, host } = listen();
  let looks = 0;
  const command = (): Promise<never> => {
    looks += 1;
    return Promise.reject(new NodeUnavailable('not connected'));
  };
  const node = { address: 'n:1', command } as unknown as RedisNode;
  const lateCheck = new LateCheck({ node, host, backend: BACKEND });
  const parts = { name: BACKEND, lateCheck, runtime, nodes: [node], ownsNodes: false };
  const backend = new RedisBackend(
    parts as unknown as ConstructorParameters<typeof RedisBackend>[0],
  );
  lateCheck.start();
  await runtime.pass(1_500);
  const before = looks;

  await backend.close();
  await runtime.pass(10_000);

  expect([before > 0, looks]).toEqual([true, before]);
  expect(runtime.timers.size).toBe(0);
});
