import { join } from 'node:path';
import { BackendUnavailableError, ConfigError, type Locks } from '@holdfast/core';
import { type Config, type OpenOptions, openLocks } from 'holdfast';
import { Redis } from 'ioredis';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { RedisServer } from '../../../../harness/test/kit/real-servers.ts';
import { startTls } from '../../../../test/support/tls-server.ts';

const LIBRARIES = ['ioredis', 'redis', 'resp'] as const;
const KEYS = ['resetkeys', '~holdfast:v1:*', 'resetchannels', '&holdfast:v1:*', '-@all'];
const SCRIPTED = ['+eval', '+evalsha', '+get', '+set', '+del', '+pttl', '+pexpire', '+publish'];

let server: RedisServer;
let raw: Redis;
const closing: (() => unknown)[] = [];
beforeAll(async () => {
  server = await RedisServer.start();
  raw = new Redis(server.url);
});
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});
afterAll(async () => {
  raw.disconnect();
  await server.close();
});

async function opened(config: Config | string, options: OpenOptions = {}): Promise<Locks> {
  const locks = await openLocks(config, options);
  closing.push(() => locks.close({ timeoutMs: 1_000 }));
  return locks;
}

async function started(...args: string[]): Promise<RedisServer> {
  const another = await RedisServer.start({ args: args.flatMap((each) => each.split(' ')) });
  closing.push(() => another.close());
  return another;
}

async function refusal(opening: Promise<unknown>): Promise<string> {
  const error: unknown = await opening.catch((cause: unknown) => cause);
  expect(error).toBeInstanceOf(ConfigError);
  return String(error);
}

/** Makes the user, and returns what opens the locks as that user. */
async function user(rights: readonly string[], backend: string): Promise<Config> {
  await raw.call('ACL', 'SETUSER', 'app', 'reset', 'on', '>secret', ...KEYS, ...rights);
  const url = `redis://app:secret@127.0.0.1:${server.port}`;
  if (backend === 'redlock') return { backend, nodes: [url], allowSmall: true };
  return backend === 'redis-getset' ? { backend, url } : { backend: 'redis-simple', url };
}

describe.each(LIBRARIES)(
  'over %s a configuration that cannot work is refused at once',
  (library) => {
    const open = (url: string): Promise<Locks> => opened({ backend: 'redis-simple', url, library });

    test('a wrong password, a database that there is not', async () => {
      const at = `127.0.0.1:${server.port}`;

      const wrong = await refusal(open(`redis://someone:wr0ng@${at}`));
      expect(wrong).toMatch(/WRONGPASS/);
      expect(wrong).not.toMatch(/wr0ng|someone/);
      expect(await refusal(open(`redis://${at}/99`))).toMatch(/DB index is out of range/);
    });

    test('TLS to a plain server, plain to a server of TLS, a certificate that is not trusted', async () => {
      const tls = await startTls(server.port);
      closing.push(() => tls.server.close());

      expect(await refusal(open(`rediss://127.0.0.1:${server.port}`))).toMatch(
        /does not speak TLS/,
      );
      expect(await refusal(open(`redis://127.0.0.1:${tls.port}`))).toMatch(/speaks TLS/);
      expect(await refusal(open(`rediss://localhost:${tls.port}`))).toMatch(
        /not trusted: self-signed/,
      );
    });

    test('a server without INFO, CONFIG and CLIENT is opened all the same, with a warning', async () => {
      const without = ['INFO', 'CONFIG', 'CLIENT'].flatMap((name) => [
        '--rename-command',
        name,
        '',
      ]);
      const managed = await started(...without);
      const warned: string[] = [];

      const locks = await opened(
        { backend: 'redis-simple', url: managed.url, library },
        { on: { warning: ({ code }) => warned.push(code) } },
      );
      await locks.use('k', () => undefined);

      expect(warned).toEqual(['unchecked-node']);
    });
  },
);

test.each(LIBRARIES)('over %s a socket in the file system leads to a server', async (library) => {
  const name = 'redis 1.sock';
  const there = await RedisServer.start({
    args: ['--unixsocket', name, '--requirepass', 'p@ss/word'],
  });
  closing.push(() => there.close());
  const path = join(there.folder, name);
  const url = `redis+unix://:${encodeURIComponent('p@ss/word')}@${encodeURI(path)}?db=3`;

  const locks = await opened({ backend: 'redis-simple', url, library, connect: 'eager' });
  await locks.use('k', async () => {
    const over = new Redis({ path, password: 'p@ss/word', db: 3 });
    expect(await over.exists('holdfast:v1:{k}:lock')).toBe(1);
    over.disconnect();
  });

  expect(await locks.health()).toMatchObject({ nodes: [{ node: `${encodeURI(path)}?db=3` }] });
  const wrong = await refusal(opened(`unix://:wr0ng@${encodeURI(path)}`));
  expect(wrong).toMatch(/WRONGPASS/);
  expect(wrong).not.toContain('wr0ng');
});

describe('a user who may not run what locks need', () => {
  const getset = ['+get', '+del', '+setnx', '+getset'];
  test.each([
    ...[...SCRIPTED.slice(0, -1), '+time'].map((right) => ['redis-simple', right] as const),
    ...SCRIPTED.slice(0, -1).map((right) => ['redlock', right] as const),
    ...getset.map((right) => ['redis-getset', right] as const),
  ])('%s without %s: the error names it, and its line is enough', async (backend, right) => {
    const all = backend === 'redis-getset' ? getset : [...SCRIPTED, '+time'];
    const config = await user(
      all.filter((each) => each !== right),
      backend,
    );

    const error = await refusal(opened(config));
    const [, rules = ''] = /ACL SETUSER <user> (.*)$/.exec(error) ?? [];
    await raw.call('ACL', 'SETUSER', 'app', ...rules.split(' '));

    expect(error).toContain(`: ${right.slice(1)}; add`);
    expect(rules.split(' ')).toContain(right);
    await (await opened(config)).use('k', () => undefined);
    expect(await raw.exists('holdfast:v1:{}:access', 'holdfast:v1:{k}:lock')).toBe(0);
  });

  test('all that is missing is named together, the keys too', async () => {
    const few = await user(['+eval', '+evalsha', '+get', '+set', '+time'], 'redis-simple');
    expect(await refusal(opened(few))).toContain('add ACL SETUSER <user> +del +pttl +pexpire');

    const elsewhere = { ...(await user([...SCRIPTED, '+time'], 'redis-simple')), namespace: 'b' };
    expect(await refusal(opened(elsewhere))).toMatch(/keys b:v1:\*; add .* ~b:v1:\* &b:v1:\* /);
  });

  test('a database that may not be selected is refused with its line too', async () => {
    const config = await user([...SCRIPTED, '+time'], 'redis-simple');
    const second = { ...config, url: `redis://app:secret@127.0.0.1:${server.port}/1` } as Config;

    expect(await refusal(opened(second))).toMatch(/add ACL SETUSER <user> \+select$/);
  });

  test('without publish it is opened, with a warning: waiters poll', async () => {
    const warned: string[] = [];
    const config = await user([...SCRIPTED.slice(0, -1), '+time', '+info'], 'redis-simple');

    await opened(config, { on: { warning: ({ code, message }) => warned.push(code, message) } });

    expect(warned).toEqual([
      'missing-right',
      expect.stringMatching(/add ACL SETUSER <user> \+publish; .*waiters poll/),
    ]);
  });

  test('a command that was renamed is named', async () => {
    const renamed = await started('--rename-command PEXPIRE ');

    expect(await refusal(opened(renamed.url))).toMatch(/lacks .*: pexpire$/);
  });
});

describe('what passes is waited for', () => {
  test('a replica that is promoted in time is opened; one that stays a replica is refused', async () => {
    const replica = await started(`--replicaof 127.0.0.1 ${server.port}`);
    const promoter = new Redis(replica.url);
    closing.push(() => promoter.disconnect());

    expect(await refusal(opened(replica.url))).toMatch(/is a replica/);
    const opening = opened(replica.url);
    setTimeout(() => void promoter.replicaof('NO', 'ONE'), 300);

    await (await opening).use('k', () => undefined);
  });

  test('a server that loads its data is opened once it has, and else unavailable, never refused', async () => {
    const loading = await started(
      '--key-load-delay 5000',
      '--loading-process-events-interval-bytes 1024',
      '--enable-debug-command yes',
      '--rdbcompression no',
    );
    const admin = new Redis(loading.url);
    closing.push(() => admin.disconnect());
    const fill = "for n = 1, 60 do redis.call('SET', n, string.rep('x', 512)) end";
    await admin.eval(fill, 0);
    const warned: string[] = [];
    const on: OpenOptions['on'] = { warning: ({ code }) => warned.push(code) };

    const reloading = admin.call('DEBUG', 'RELOAD');
    await (await opened(loading.url, { on })).use('k', () => undefined);
    await reloading;
    expect(warned).toEqual([]);

    await admin.config('SET', 'key-load-delay', '100000');
    const long = admin.call('DEBUG', 'RELOAD').catch(() => undefined);
    const tries = await Promise.allSettled([
      opened(`${loading.url}?connect=eager`, { on }),
      opened(loading.url, { on }).then((locks) => locks.tryAcquire('k')),
    ]);
    const unavailable = { reason: expect.any(BackendUnavailableError) };
    expect(tries).toMatchObject([unavailable, unavailable]);
    expect(warned).toEqual(['unchecked-node', 'unchecked-node']);
    admin.disconnect();
    await long;
  });

  test('a server whose memory is full cannot serve, and is not refused', async () => {
    const full = await started('--maxmemory 1 --maxmemory-policy noeviction');

    const opening = opened(full.url).then((locks) => locks.acquire('k', { waitMs: 0 }));

    await expect(opening).rejects.toBeInstanceOf(BackendUnavailableError);
  });
});
