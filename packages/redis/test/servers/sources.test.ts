import { inspect } from 'node:util';
import { ConfigError, InvalidOptionError } from '@holdfast/core';
import { Cluster, Redis } from 'ioredis';
import { Redis as Valkey, Cluster as ValkeyCluster } from 'iovalkey';
import { createClient, createCluster } from 'redis';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { CERTIFICATE, startTls } from '../../../../test/support/tls-server.ts';
import { warningsOf } from '../../src/describe.ts';
import { describeNode, openRedisNode, type RedisSource, requireMaster } from '../../src/index.ts';
import { NodeReplyError, NodeUnavailable } from '../../src/port.ts';
import {
  CLIENT_LIBRARIES,
  failure,
  failureOf,
  inMs,
  LIBRARIES,
  runtime,
  World,
} from '../kit/real-node.ts';

const PASSWORD = 'p@ss:w/rd-7f3a';
const ENCODED = encodeURIComponent(PASSWORD);

let world: World;
beforeEach(async () => {
  world = await World.start();
});
afterEach(() => world.close());

/** Everything that a log could make of an error: message, stack, own properties, causes. */
function everythingIn(error: unknown): string {
  const own = JSON.stringify(error, (_name, value: unknown) =>
    value instanceof Error
      ? Object.fromEntries(
          Object.getOwnPropertyNames(value).map((name) => [name, Reflect.get(value, name)]),
        )
      : value,
  );
  return `${inspect(error, { depth: 20, showHidden: true })}${own}${String(error)}`;
}

function withUser(user: string, password: string): string {
  return `redis://${user}:${password}@127.0.0.1:${world.proxy.port}/3`;
}

describe.each(LIBRARIES)('a URL through %s', (library) => {
  test('user, password and database of the URL are used, and the address shows neither of the first two', async () => {
    await world.ask('ACL', 'SETUSER', 'keeper', 'on', `>${PASSWORD}`, '+@all', '~*');
    const node = await world.open({ library, source: withUser('keeper', ENCODED) });

    expect(await node.command(['ACL', 'WHOAMI'], { deadlineMs: inMs(2_000) })).toBe('keeper');
    await node.command(['SET', 'k', 'v'], { deadlineMs: inMs(2_000) });

    expect(node.address).toBe(`127.0.0.1:${world.proxy.port}/3`);
    expect(await world.ask('EXISTS', 'k')).toBe(0);
    expect(inspect(node, { depth: 20, showHidden: true })).not.toContain(PASSWORD);
  });

  test('no error shows the password, whether it is right or wrong', async () => {
    await world.ask('ACL', 'SETUSER', 'keeper', 'on', '>another', '+@all', '~*');
    const node = await world.open({ library, source: withUser('keeper', ENCODED) });
    const errors = [
      await failure(node.command(['GET', 'k'], { deadlineMs: inMs(500) }), NodeUnavailable),
      await failureOf(node.subscribe('c', () => undefined)),
    ];
    await world.ask('ACL', 'SETUSER', 'keeper', `>${PASSWORD}`);
    const get = (): Promise<unknown> =>
      node.command(['GET', 'k'], { deadlineMs: inMs(1_000) }).catch(String);
    await expect.poll(get).toBeNull();
    errors.push(await failureOf(node.command(['LPUSH'], { deadlineMs: inMs(1_000) })));
    world.server.kill();
    errors.push(await failureOf(node.command(['GET', 'k'], { deadlineMs: inMs(1_000) })));

    expect(errors.map((error) => everythingIn(error)).join('\n')).not.toMatch(/p@ss|p%40ss/);
    expect(errors[0]).toMatchObject({ cause: { name: 'NodeReplyError', code: 'WRONGPASS' } });
  });

  test('rediss:// uses TLS with the given options, and refuses a certificate that no authority signed', async () => {
    const { port, server } = await startTls(world.server.port);
    const source = `rediss://localhost:${port}`;

    const trusting = await world.open({ library, source, tls: { ca: CERTIFICATE } });
    expect(await trusting.command(['PING'], { deadlineMs: inMs(5_000) })).toBe('PONG');
    await trusting.subscribe('c', () => undefined);

    const wary = await world.open({ library, source });
    const error = await failure(
      wary.command(['PING'], { deadlineMs: inMs(5_000) }),
      NodeUnavailable,
    );
    expect(everythingIn(error)).toContain('certificate');
    server.close();
  });

  test('replies have the shapes of RESP2', async () => {
    const node = await world.open({ library });
    const script = {
      name: 'shapes',
      source:
        "redis.call('HSET', 'h', 'f', 'v') return {1, 'two', {3, false}, redis.call('HGETALL', 'h'), redis.status_reply('FOUR')}",
    };
    const run = (): Promise<unknown> => node.script(script, [], [], { deadlineMs: inMs(2_000) });

    const shapes = [1, 'two', [3, null], ['f', 'v'], 'FOUR'];
    expect(await run()).toEqual(shapes);
    expect(await run()).toEqual(shapes);
    expect(await node.command(['HGETALL', 'h'], { deadlineMs: inMs(2_000) })).toEqual(['f', 'v']);
  });

  test('a script that the server has forgotten is sent along once more, within the same deadline', async () => {
    const node = await world.open({ library });
    const script = { name: 'one', source: 'return 1' };
    await node.script(script, [], [], { deadlineMs: inMs(2_000) });
    await node.script(script, [], [], { deadlineMs: inMs(2_000) });

    await world.ask('SCRIPT', 'FLUSH');
    expect(await node.script(script, [], [], { deadlineMs: inMs(2_000) })).toBe(1);

    // In full on the new connection and after the refusal; by its digest in between.
    const stats = String(await world.ask('INFO', 'commandstats'));
    expect(stats).toMatch(/cmdstat_eval:calls=2,/);
    expect(stats).toMatch(/cmdstat_evalsha:calls=2,.*failed_calls=1/);
  });
});

/** Its own types have other names for the same things. */
function asIoredis(client: Valkey): Redis {
  return client as unknown as Redis;
}

function unsafe() {
  const { port } = world.proxy;
  return { port, lazyConnect: true, keyPrefix: 'app:', enableAutoPipelining: true };
}

function unqueued() {
  const safe = { enableOfflineQueue: false, autoResendUnfulfilledCommands: false };
  return { port: world.proxy.port, lazyConnect: true, ...safe };
}

describe('a client that is handed in', () => {
  const clients = {
    ioredis: () => new Redis(unsafe()),
    iovalkey: () => asIoredis(new Valkey(unsafe())),
    redis: () => createClient({ url: world.proxy.url, keyPrefix: 'app:' }),
  };

  test.each(CLIENT_LIBRARIES)(
    '%s is taken for its configuration and left alone',
    async (library) => {
      const client = clients[library]();
      const node = await world.open({ source: client });

      await node.command(['SET', 'k', 'v'], { deadlineMs: inMs(2_000) });
      await node.subscribe('c', () => undefined);

      expect(node.address).toMatch(new RegExp(`^(localhost|127.0.0.1):${world.proxy.port}$`));
      expect(await world.ask('GET', 'k')).toBe('v');
      expect('status' in client ? client.status : client.isOpen).toBe(
        library === 'redis' ? false : 'wait',
      );
      await node.close();
      await client.connect();
      await client.set('k', 'mine');
      expect(await world.ask('GET', 'app:k')).toBe('mine');
      if ('status' in client) client.disconnect();
      else client.destroy();
    },
  );

  const named = [
    'enableOfflineQueue',
    'autoResendUnfulfilledCommands',
    'keyPrefix',
    'enableAutoPipelining',
  ] as const;

  test.each([
    ['ioredis', ...named],
    ['iovalkey', ...named],
    ['redis', 'disableOfflineQueue'],
  ] as const)(
    '%s is refused as it is when its options are unsafe, and they are named',
    async (library, ...names) => {
      const client = clients[library]();

      const error = await failure(
        openRedisNode({ client, shareClient: true }, { runtime }),
        ConfigError,
      );

      for (const name of names) expect(error.message).toContain(name);
    },
  );

  const safe = {
    ioredis: () => new Redis(unqueued()),
    iovalkey: () => asIoredis(new Valkey(unqueued())),
    redis: () => createClient({ url: world.proxy.url, disableOfflineQueue: true }),
  };

  test.each(CLIENT_LIBRARIES)(
    '%s can be used as it is when its options are safe, over reconnects, and is not closed',
    async (library) => {
      const client = safe[library]();
      client.on('error', () => undefined);
      await client.connect();
      const node = await world.open({ source: { client, shareClient: true } });
      const get = (key: string): Promise<unknown> =>
        node.command(['GET', key], { deadlineMs: inMs(1_000) });

      await node.command(['SET', 'k', 'v'], { deadlineMs: inMs(2_000) });
      expect(await node.command(['HGETALL', 'none'], { deadlineMs: inMs(2_000) })).toEqual([]);
      expect(world.proxy.accepted).toBe(1);
      world.proxy.reset();
      await expect.poll(() => get('k').catch(() => 'not yet')).toBe('v');
      await node.close();

      expect(await client.get('k')).toBe('v');
      if ('status' in client) client.disconnect();
      else client.destroy();
    },
  );
});

describe('what cannot be used', () => {
  test.each([
    ['no URL', 'localhost'],
    ['another protocol', `http://u:${ENCODED}@localhost`],
    ['a port that is none', `redis://u:${ENCODED}@localhost:99999`],
    ['a database that is no number', `redis://u:${ENCODED}@localhost/orders`],
    ['parameters', `redis://u:${ENCODED}@localhost?password=${ENCODED}`],
    ['broken encoding', 'redis://u:p%40ss%ZZ@localhost'],
  ])('%s is refused without being quoted', async (_what, url) => {
    const error = await failure(openRedisNode(url, { runtime }), ConfigError);

    expect(everythingIn(error)).not.toMatch(/p@ss|p%40ss/);
  });

  test('shared clients of clusters, and anything else, are refused', async () => {
    const options = { lazyConnect: true };
    const cluster = new Cluster([{ port: 1 }], options);
    const valkeyCluster = new ValkeyCluster([{ port: 1 }], options);
    const nodeCluster = createCluster({ rootNodes: [{ url: 'redis://localhost:1' }] });

    const shared = [cluster, valkeyCluster, nodeCluster].map((client) => ({
      client,
      shareClient: true,
    }));
    for (const client of [...shared, {}, null, 7]) {
      const source = client as unknown as RedisSource;
      await expect(openRedisNode(source, { runtime })).rejects.toBeInstanceOf(ConfigError);
    }
  });

  test('a limit that is no time is refused', async () => {
    const opening = openRedisNode('redis://localhost', { runtime, connectMs: 0 });

    await expect(opening).rejects.toBeInstanceOf(InvalidOptionError);
  });
});

describe('what a node says about itself', () => {
  test('a master can keep locks', async () => {
    const node = await world.open();

    const description = await describeNode(node, { deadlineMs: inMs(2_000) });

    expect(description).toMatchObject({
      product: 'redis',
      role: 'master',
      mode: 'standalone',
      evictionPolicy: 'noeviction',
    });
    expect(description.runId).toMatch(/^[0-9a-f]{40}$/);
    requireMaster(description, node.address);
    expect(warningsOf(description, node.address)).toEqual([]);
  });

  test('a replica is refused, and an eviction policy is warned of', async () => {
    const node = await world.open();
    await world.ask('REPLICAOF', '127.0.0.1', '1');
    await world.ask('CONFIG', 'SET', 'maxmemory-policy', 'allkeys-lru');

    const description = await describeNode(node, { deadlineMs: inMs(2_000) });

    expect(() => requireMaster(description, node.address)).toThrow(/is a replica/);
    expect(warningsOf(description, node.address)).toMatchObject([{ code: 'eviction-policy' }]);
  });

  test('a user that may not ask is not kept from locking', async () => {
    await world.ask('ACL', 'SETUSER', 'least', 'on', '>secret', '+eval', '+evalsha', '~*');
    const node = await world.open({ source: `redis://least:secret@127.0.0.1:${world.proxy.port}` });

    const description = await describeNode(node, { deadlineMs: inMs(2_000) });

    expect(description).toMatchObject({
      version: expect.stringMatching(/^\d/),
      role: 'master',
      evictionPolicy: undefined,
    });
    requireMaster(description, node.address);
    expect(warningsOf(description, node.address)).toMatchObject([{ code: 'unchecked-node' }]);
    expect(await world.ask('ACL', 'LOG')).toHaveLength(1);
  });

  test('a server that is not there is unavailable', async () => {
    const node = await world.open();
    world.server.kill();

    const error = await failureOf(describeNode(node, { deadlineMs: inMs(2_000) }));

    expect(error).not.toBeInstanceOf(NodeReplyError);
  });
});
