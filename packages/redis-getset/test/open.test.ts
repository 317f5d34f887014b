import { ConfigError } from '@holdfast/core';
import { createHost } from '@holdfast/core/backend';
import { expect, test } from 'vitest';
import { TinyServer } from '../../redis/test/kit/tiny-server.ts';
import { openRedisGetset } from '../src/index.ts';

test.each([
  ['redis', 'AUTH'],
  ['ioredis', 'auth'],
] as const)('a URL is opened with the library %s', async (library, spelled) => {
  await using server = await TinyServer.start();

  const backend = await openRedisGetset({ source: server.url, library }, createHost());
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

  const opening = openRedisGetset({ source: 'rediss://127.0.0.1:1', tls }, createHost());
  await (await opening).close();

  expect(isRead).toBe(true);
});

test('closing ends the connections to a URL', async () => {
  await using server = await TinyServer.start();
  const backend = await openRedisGetset({ source: server.url }, createHost());
  expect(server.connections).toBe(1);

  await backend.close();
  await server.left();

  expect(server.connections).toBe(0);
});

test('what is refused once it is connected is not left connected', async () => {
  await using server = await TinyServer.start('slave');

  await expect(openRedisGetset({ source: server.url }, createHost())).rejects.toThrow(ConfigError);
  await server.left();

  expect(server.connections).toBe(0);
});

test('a refusal is reported once the last reply has arrived and the connection is closed', async () => {
  await using server = await TinyServer.start('stranger');

  await expect(openRedisGetset({ source: server.url }, createHost())).rejects.toThrow(
    /refused access/,
  );

  expect(server.late).toBe(1);
});
