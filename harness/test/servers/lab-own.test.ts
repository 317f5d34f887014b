import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Session } from '@holdfast/zk-client';
import { Redis } from 'ioredis';
import { afterAll, afterEach, describe, expect, test, vi } from 'vitest';
import { RedisServer } from '../../src/servers/redis/real/redis-server.ts';
import { ZooKeeperServer } from '../../src/servers/zookeeper/real/zookeeper-server.ts';
import { CommandProcess } from './support/command-process.ts';
import { Laboratory } from './support/lab-world.ts';

/** Against hanging, not a measure. */
const LIMIT_MS = 240_000;
const PATIENCE = { timeout: 20_000, interval: 20 };
/** Of the laboratory's own names. */
const OURS = 'holdfast-lab-';

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

function laboratory(servers: string, options: readonly string[] = []): Laboratory {
  const lab = new Laboratory(['--servers', servers, '--trials', '1', ...options]);
  closing.push(() => lab.close());
  return lab;
}

async function redisOf(args: readonly string[] = []): Promise<RedisServer> {
  const server = await RedisServer.start({ args });
  closing.push(() => server.close());
  return server;
}

function clientOf({ port }: RedisServer, password?: string): Redis {
  const client = new Redis(port, '127.0.0.1', password === undefined ? {} : { password });
  closing.push(() => client.disconnect());
  return client;
}

const commands = new CommandProcess();
afterAll(() => commands.close());

/** Its output on stderr. */
async function refused(servers: string, options: readonly string[] = []): Promise<string> {
  const args = ['compare', '--servers', servers, '--trials', '1', ...options, '--out', 'report'];
  const { code, stdout, stderr } = await commands.run(args);
  expect([1, 2]).toContain(code);
  expect(stdout).toBe('');
  expect(stderr).not.toContain('sesame');
  expect(stderr).not.toMatch(/^\s+at /m);
  expect(commands.litter).toEqual([]);
  return stderr;
}

/** Keys of every kind, among them a lock of the user's, with a name that ours begin with, and one that a pattern might hit. */
async function fill(client: Redis): Promise<void> {
  await client.set('holdfast:v1:{orders/42}:lock', 'somebody:1:web', 'PX', 3_600_000);
  await client.set(OURS, 'mine');
  await client.set('*', 'mine');
  await client.hset('basket', { apples: 3 });
  await client.rpush('queue', 'a', 'b');
  await client.zadd('scores', 1, 'a');
  await client.select(3);
  await client.set('elsewhere', 'mine');
  await client.select(0);
}

/** All keys of the servers, without the remaining times. */
async function contentsOf(client: Redis): Promise<readonly string[]> {
  const names: string[] = [];
  for (const db of [0, 3]) {
    await client.select(db);
    for (const key of await client.keys('*')) {
      const [dump, expires] = [await client.dumpBuffer(key), await client.pexpiretime(key)];
      names.push(`${db} ${key} ${dump?.toString('hex')} ${expires}`);
    }
  }
  await client.select(0);
  return names.toSorted();
}

/** Every node with what it holds, and when it was last changed. */
async function treeOf(session: Session, path = '/'): Promise<readonly string[]> {
  const { children } = await session.getChildren(path);
  const below = path === '/' ? '' : path;
  const paths = children.map((name) => `${below}/${name}`).filter((each) => each !== '/zookeeper');
  const { data, stat } = await session.getData(path);
  const own = `${path} ${Buffer.from(data).toString()} ${path === '/' ? '' : stat.pzxid}`;
  const parts = await Promise.all(paths.map((each) => treeOf(session, each)));
  return [own, ...parts.flat()].toSorted();
}

test('on servers of the user that are not empty it injects faults into clients alone, and leaves all as it was', {
  timeout: LIMIT_MS,
}, async () => {
  const redis = await redisOf(['--requirepass', 'sesame']);
  const client = clientOf(redis, 'sesame');
  await fill(client);
  const zookeeper = await ZooKeeperServer.start();
  closing.push(() => zookeeper.close());
  const session = await Session.open({ servers: [zookeeper.address] });
  closing.push(() => session.close());
  await session.create('/holdfast', 'mine');
  await session.create('/holdfast/v1', 'mine');
  await session.create(`/${OURS}`, 'mine');
  // Five more, which are one redlock.
  const five = await Promise.all(Array.from({ length: 5 }, () => redisOf()));
  const clients = five.map((server) => clientOf(server));
  await Promise.all(clients.map((each) => each.set('foreign', 'mine')));
  const hosts = five.map(({ port }) => `127.0.0.1:${port}`).join(',');
  const before = { keys: await contentsOf(client), tree: await treeOf(session) };
  const { pid } = redis;
  // What a pause does is shown on the servers of the laboratory.
  const faults = 'none,client-cut,failover';
  const urls = [
    `redis://:sesame@127.0.0.1:${redis.port}`,
    `zk://me:simsim@${zookeeper.address}`,
    `redlock://${hosts}`,
  ];
  // On a busy machine a holder that is cut notices late that its lease is over, and a longer one leaves it more time.
  const lab = laboratory(urls.join(','), ['--faults', faults, '--ttl', '3000']);

  const { code, stdout, stderr } = await lab.ended;

  expect(stdout).toContain('As expected in all');
  expect(code).toBe(0);
  for (const column of ['redis-simple', 'zk', 'redlock'])
    expect(lab.cell('client-cut', column)).toMatchObject({ outcome: 'holds' });
  expect(lab.report.rows).not.toContain('failover');
  expect(stdout).toContain('the lab injects no fault into servers that it did not start');
  expect(await contentsOf(client)).toEqual(before.keys);
  expect(await treeOf(session)).toEqual(before.tree);
  for (const each of clients) expect(await each.keys('*')).toEqual(['foreign']);
  expect(redis.pid).toBe(pid);
  const output = stdout + stderr + JSON.stringify(lab.report) + lab.page;
  expect(output).not.toContain('sesame');
  expect(output).not.toContain('simsim');
  expect(lab.litter).toEqual([]);
});

/** A configuration file, which names a server as a URL does. */
function fileOf(url: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-lab-config-'));
  closing.push(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'locks.json');
  const mine = { backend: 'redis-simple', url, namespace: 'mine' };
  writeFileSync(file, JSON.stringify({ stores: { mine } }));
  return file;
}

/** A laboratory in the middle of its work, on a server that holds something else. */
async function injecting(
  named: (url: string) => string,
  options: readonly string[] = [],
): Promise<{ readonly lab: Laboratory; readonly client: Redis }> {
  const redis = await redisOf();
  const client = clientOf(redis);
  await client.select(2);
  await client.set('foreign', 'mine');
  const lab = laboratory(named(`redis://127.0.0.1:${redis.port}/2`), [
    '--faults',
    'pause',
    ...options,
  ]);
  await lab.says('pause on redis-simple: the holder’s process');
  return { lab, client };
}

describe.runIf(process.platform === 'linux')(
  'a laboratory on servers of the user’s that is ended',
  () => {
    test('by Ctrl-C leaves them as they were, and no process running', {
      timeout: LIMIT_MS,
    }, async () => {
      const { lab, client } = await injecting((url) => url);
      expect((await client.keys(`${OURS}*`)).length).toBeGreaterThan(0);

      lab.kill('SIGINT');

      await vi.waitFor(() => expect(lab.running).toEqual([]), { timeout: 2_000, interval: 10 });
      const { code } = await lab.ended;
      expect(code).toBe(130);
      expect(lab.report).toMatchObject({ partial: true });
      expect(await client.keys('*')).toEqual(['foreign']);
    });

    test('by kill -9 leaves what it had announced, and no process running', {
      timeout: LIMIT_MS,
    }, async () => {
      const { lab, client } = await injecting(fileOf, ['--store', 'mine']);

      lab.kill('SIGKILL');

      const { stderr } = await lab.ended;
      await vi.waitFor(() => expect(lab.running).toEqual([]), PATIENCE);
      const [, name = '?'] = /under the name (\S+) alone/.exec(stderr) ?? [];
      const keys = (await client.keys('*')).filter((key) => key !== 'foreign');
      expect(keys.filter((key) => !key.startsWith(`${name}:`))).toEqual([]);
      const ends = await Promise.all(keys.map((key) => client.pttl(key)));
      expect(ends.filter((ms) => ms < 0)).toEqual([]);
    });
  },
);

describe('on servers of the user’s that will not do it says why, shows no password, and starts nothing', () => {
  test('where no server listens', async () => {
    const redis = await redisOf();
    const { port } = redis;
    await redis.close();

    const output = await refused(`redis://:sesame@127.0.0.1:${port}`);

    expect(output).toContain(`127.0.0.1:${port} does not reply`);
    expect(await refused(`zk://127.0.0.1:${port}`)).toContain('does not reply');
  });

  test('where the password is wrong', async () => {
    const { port } = await redisOf(['--requirepass', 'simsim']);

    const output = await refused(`redis://:sesame@127.0.0.1:${port}`);

    expect(output).toMatch(/WRONGPASS|password/);
  });

  test('where they are a Sentinel, a cluster or a replica', async () => {
    const cluster = await redisOf(['--cluster-enabled', 'yes']);
    const master = await redisOf();
    const replica = await redisOf(['--replicaof', '127.0.0.1', `${master.port}`]);

    expect(await refused(`redis://127.0.0.1:${cluster.port}`)).toContain('a node of a cluster');
    expect(await refused(`redis://127.0.0.1:${replica.port}`)).toContain('is a replica');
    expect(await refused('sentinel://127.0.0.1:26379')).toContain('unknown URL scheme "sentinel:"');
  });

  test('where the user has no right to names of the laboratory', async () => {
    const redis = await redisOf();
    await clientOf(redis).call(
      'ACL',
      'SETUSER',
      'me',
      'on',
      '>sesame',
      '~holdfast:*',
      '&*',
      '+@all',
    );

    const output = await refused(`redis://me:sesame@127.0.0.1:${redis.port}`);

    expect(output).toContain('cannot acquire a lock on redis');
    expect(output).toContain('stores everything under the name holdfast-lab-');
  });

  test.each([
    ['--faults', 'failover', 'injects no fault into servers that it did not start'],
    ['--dial', '3000', '--dial kills servers'],
    ['--backends', 'zk', 'zk has no servers to inject faults into'],
  ])('with %s %s', async (option, value, message) => {
    const { port } = await redisOf();

    expect(await refused(`redis://127.0.0.1:${port}`, [option, value])).toContain(message);
  });

  test('where it cannot reach them by way of its proxies', async () => {
    expect(await refused('rediss://:sesame@127.0.0.1:6379')).toContain('set tls: { servername }');
    expect(await refused('memory:', ['--profile', 'quick'])).toContain('memory has no servers');
  });

  test('where one backend is named twice', async () => {
    const { port } = await redisOf();
    const url = `redis://127.0.0.1:${port}`;

    expect(await refused(`${url},${url}`)).toContain('redis-simple is named twice');
  });

  test('and has left nothing open that would keep its process from ending', async () => {
    expect(await commands.end()).toBe(0);
  });
});
