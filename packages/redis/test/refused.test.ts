import { ConfigError } from '@holdfast/core';
import { systemRuntime } from '@holdfast/core/backend';
import { createClient } from 'redis-4';
import { expect, test } from 'vitest';
import type { NodeRedisClient } from '../src/adapters/clients.ts';
import { loadClient } from '../src/adapters/load.ts';
import { parseRedisUrl } from '../src/endpoint.ts';
import { addressOfSource, openRedisNode, type RedisSource } from '../src/index.ts';

const url = 'redis://user:s3cret-7f3a@localhost:1';

/** The members by which a client of glide is known; installing it would bring a native library. */
const glide = {
  customCommand: () => Promise.resolve('OK'),
  invokeScript: () => Promise.resolve(null),
  updateConnectionPassword: () => Promise.resolve('OK'),
  close: () => undefined,
};

const NODE_REDIS_4 =
  /^node-redis 4 cannot be used: .+ sent after its deadline; upgrade redis to version 5 or 6/;
const GLIDE = /^@valkey\/valkey-glide cannot be used: it reconnects .+; use iovalkey/;

test.each([
  ['of node-redis 4', () => createClient({ url }), NODE_REDIS_4],
  ['of node-redis 4 in legacy mode', () => createClient({ url, legacyMode: true }), NODE_REDIS_4],
  ['of glide', () => glide, GLIDE],
])(
  'a client %s is refused, as it is and as a copy, with the reason and what to do',
  async (_what, make, reason) => {
    const client = make() as unknown as Exclude<RedisSource, string>;
    const runtime = systemRuntime();

    for (const source of [client, { client, shareClient: true }] as RedisSource[]) {
      const error: unknown = await openRedisNode(source, { runtime }).catch((e: unknown) => e);
      expect(error).toBeInstanceOf(ConfigError);
      expect(String(error).replace(/^ConfigError: /, '')).toMatch(reason);
      expect(String(error)).not.toContain('s3cret');
      await expect(addressOfSource(source)).rejects.toThrow(reason);
    }
  },
);

function missing(): Promise<never> {
  const error = new Error("Cannot find module 'ioredis'");
  return Promise.reject(Object.assign(error, { code: 'MODULE_NOT_FOUND' }));
}

test('a URL is refused with the same reason when node-redis 4 is what is installed', async () => {
  const installed = {
    ioredis: missing,
    iovalkey: missing,
    redis: () =>
      Promise.resolve({ createClient: createClient as unknown as () => NodeRedisClient }),
  };

  await expect(loadClient(parseRedisUrl(url), {}, installed)).rejects.toThrow(NODE_REDIS_4);
});
