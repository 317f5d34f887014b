import { ConfigError } from '@holdfast/core';
import { createHost } from '@holdfast/core/backend';
import { describe, expect, test } from 'vitest';
import { TinyServer } from '../../redis/test/kit/tiny-server.ts';
import { openRedisSimple } from '../src/open.ts';
import { type Bench, bench } from './support/scripted-node.ts';

test.each([
  ['redis', 'AUTH'],
  ['ioredis', 'auth'],
] as const)('a URL is opened with the library %s', async (library, spelled) => {
  await using server = await TinyServer.start();

  const backend = await openRedisSimple({ source: server.url, library }, createHost());
  await backend.close();

  expect(server.heard).toContain(spelled);
});

test('a URL is opened with the options for tls', async () => {
  let isRead = false;
  const tls = {
    get ca(): string {
      isRead = true;
      return '';
    },
  };
  const source = 'rediss://127.0.0.1:1';

  const backend = await openRedisSimple({ source, tls }, createHost());
  await backend.close();

  expect(isRead).toBe(true);
});

test('closing ends the connections to a URL', async () => {
  await using server = await TinyServer.start();
  const backend = await openRedisSimple({ source: server.url }, createHost());
  expect(server.connections).toBe(1);

  await backend.close();
  await server.left();

  expect(server.connections).toBe(0);
});

test.each([
  ['as it is', {}, ['TIME', 'PUBLISH'], ['ZADD']],
  ['fair', { fair: true }, ['TIME', 'PUBLISH', 'ZADD'], []],
  ['in the plain layout', { layout: 'plain' }, ['PTTL'], ['TIME', 'PUBLISH', 'ZADD']],
] as const)(
  'its user is checked for the commands that a store needs, %s, and for no others',
  async (_, form, needed, others) => {
    await using server = await TinyServer.start();

    const backend = await openRedisSimple({ source: server.url, ...form }, createHost());
    await backend.close();

    const [checked] = /local failed[^]*return failed/.exec(server.received) ?? [];
    for (const name of needed) expect(checked).toContain(`redis.pcall('${name}'`);
    for (const name of others) expect(checked).not.toContain(`redis.pcall('${name}'`);
  },
);

test('what is refused once it is connected is not left connected', async () => {
  await using server = await TinyServer.start('slave');

  await expect(openRedisSimple({ source: server.url }, createHost())).rejects.toThrow(ConfigError);
  await server.left();

  expect(server.connections).toBe(0);
});

test('what is refused is told when the last answer is in, and the connection closed', async () => {
  await using server = await TinyServer.start('stranger');

  await expect(openRedisSimple({ source: server.url }, createHost())).rejects.toMatchObject({
    message: expect.stringContaining('refused access'),
    backend: 'redis-simple',
    cause: expect.any(Error),
  });

  expect(server.late).toBe(1);
});

function info(role: string): string {
  return `redis_version:7.0.0\r\nrole:${role}\r\nredis_mode:standalone\r\nrun_id:1\r\nmaxmemory_policy:noeviction`;
}

function answering(role: string): Bench {
  const at = bench();
  at.node.answer = ({ name }) => Promise.resolve(name === 'INFO' ? info(role) : []);
  return at;
}

describe('opening', () => {
  test('refuses a namespace that could not be told from others', async () => {
    const { node, host } = answering('master');

    await expect(openRedisSimple({ node, namespace: '' }, host)).rejects.toThrow(/namespace/);
  });

  test('refuses a replica, and leaves somebody else’s node open', async () => {
    const { node, host } = answering('slave');

    await expect(openRedisSimple({ node }, host)).rejects.toThrow(ConfigError);
    expect(node.isClosed).toBe(false);
  });

  test('takes a cluster, whose masters it looks at', async () => {
    const { node, host } = answering('slave');
    const master = answering('master').node;
    const cluster = {
      check: () => Promise.resolve(),
      masters: async () => [master],
      sharesSlot: () => true,
    };

    await openRedisSimple({ node: Object.assign(node, { cluster }) }, host);

    expect(node.calls).toEqual([]);
    expect(master.calls).not.toEqual([]);
  });

  test('hands on what its store was asked to be', async () => {
    const { node, host } = answering('master');
    const backend = await openRedisSimple({ node, fair: true, waitReplicas: 2 }, host);
    node.calls.length = 0;

    await backend.contend({ key: 'k', contender: 'c' }).attempt(Number.MAX_SAFE_INTEGER);

    expect(backend.capabilities.queue).toBe('fifo');
    expect(node.calls).toMatchObject([{ options: { acknowledged: { replicas: 2 } } }]);
  });

  test('takes a node that stays its owner’s to close', async () => {
    const { node, host } = answering('master');

    await (await openRedisSimple({ node }, host)).close();

    expect(node.isClosed).toBe(false);
  });

  test.each([
    ['neither a source nor a node', {}],
    ['both', { source: 'redis://127.0.0.1:1', node: bench().node }],
  ])('refuses %s', async (_, options) => {
    await expect(openRedisSimple(options, bench().host)).rejects.toMatchObject({
      message: expect.stringContaining('either a source'),
      backend: 'redis-simple',
    });
  });
});
