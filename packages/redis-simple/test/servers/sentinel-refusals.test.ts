import { readFileSync } from 'node:fs';
import { ConfigError } from '@holdfast/core';
import { createLocks } from '@holdfast/core/backend';
import { Redis } from 'ioredis';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { freePort, Proxy, SentinelDeployment } from '../../../../harness/test/kit/real-servers.ts';
import { attempt, contend, take, until } from '../../../../test/support/contending.ts';
import { type Opening, Openings } from './support/openings.ts';

const page = readFileSync(
  new URL('../../../../docs/backends/redis-simple.md', import.meta.url),
  'utf8',
);
const PASSWORD = 'of-the-data';
const SENTINEL_PASSWORD = 'of-the-sentinels';
const LIBRARIES = ['ioredis', 'redis'] as const;

let redis: SentinelDeployment;
let openings: Openings;
beforeAll(async () => {
  const passwords = { password: PASSWORD, sentinelPassword: SENTINEL_PASSWORD };
  redis = await SentinelDeployment.start({ replicas: 1, ...passwords });
});
afterAll(() => redis.close());
beforeEach(() => {
  openings = new Openings();
});
afterEach(() => openings.close());

const url = (hosts = redis.hosts, name = redis.name, password = PASSWORD): string =>
  `redis+sentinel://:${password}@${hosts}/${name}`;

function opening(options: Partial<Opening> = {}): Opening {
  return { source: url(), sentinelPassword: SENTINEL_PASSWORD, ...options };
}

describe.each(LIBRARIES)(
  'opening through %s is refused, without a word about passwords',
  (library) => {
    test.each<readonly [string, RegExp, () => Partial<Opening>]>([
      [
        'a master nobody knows',
        /no master is called "other"/,
        () => ({ source: url(redis.hosts, 'other') }),
      ],
      [
        'no password for the sentinels',
        /refused access: NOAUTH/,
        () => ({ sentinelPassword: undefined }),
      ],
      ['a wrong one', /refused access: WRONGPASS/, () => ({ sentinelPassword: 'wr0ng' })],
      [
        'a wrong one for the data',
        /refused access: WRONGPASS/,
        () => ({ source: url(redis.hosts, redis.name, 'wr0ng') }),
      ],
      [
        'a cluster of sentinels',
        /127.0.0.1:\d+ is a sentinel, which keeps no data/,
        () => ({
          source: `redis+cluster://:${SENTINEL_PASSWORD}@${redis.hosts}`,
          sentinelPassword: undefined,
        }),
      ],
      [
        'a data node among the sentinels',
        /127.0.0.1:\d+ is not a sentinel/,
        () => ({
          source: url(`${redis.hosts},127.0.0.1:${redis.servers[0]?.port}`),
          sentinelPassword: PASSWORD,
        }),
      ],
    ])('%s', async (_, message, wrong) => {
      const error: unknown = await openings
        .open(opening({ library, ...wrong() }))
        .catch((cause: unknown) => cause);

      expect(error).toBeInstanceOf(ConfigError);
      expect(String(error)).toMatch(message);
      const shown = JSON.stringify([
        String(error),
        error instanceof Error ? String(error.cause) : '',
      ]);
      expect(shown).not.toMatch(/wr0ng|of-the/);
    });
  },
);

test('sentinels of two deployments in one list are refused', async () => {
  const passwords = { password: PASSWORD, sentinelPassword: SENTINEL_PASSWORD };
  const other = await SentinelDeployment.start({ sentinels: 1, replicas: 0, ...passwords });
  try {
    const source = url(`${redis.hosts},${other.hosts}`);

    await expect(openings.open(opening({ source }))).rejects.toThrow(/mixes sentinels of two/);
  } finally {
    await other.close();
  }
});

test('locks open while all sentinels are down, and a caller that waits gets one when they are back', async () => {
  for (const sentinel of redis.sentinels) sentinel.kill();
  const backend = await openings.open(opening());
  const locks = createLocks(backend, openings.host, {});
  await expect(locks.acquire('down', { waitMs: 0 })).rejects.toMatchObject({
    code: 'BACKEND_UNAVAILABLE',
    message: expect.stringMatching(/no sentinel answered: 127.0.0.1:\d+.*ECONNREFUSED/),
  });

  const waiting = locks.acquire('down', { waitMs: 20_000 });
  await Promise.all(redis.sentinels.map((sentinel) => sentinel.restart()));
  const lease = await waiting;

  expect(await lease.release()).toEqual({ kind: 'released' });
  await redis.settled();
});

const named = async (): Promise<string> => `127.0.0.1:${(await redis.master()).port}`;

describe.each(LIBRARIES)('an address that leads nowhere from here, through %s', (library) => {
  test('fails with its name, and is mapped by natMap', async () => {
    const proxy = await Proxy.start((await redis.master()).port);
    const natMap = { [await named()]: { host: '127.0.0.1', port: proxy.port } };
    const nowhere = { [await named()]: { host: 'nowhere.invalid', port: 1 } };
    try {
      const lost = await openings.open(opening({ library, natMap: nowhere }));
      const outcome = await attempt(contend(lost, 'nat'));
      expect(outcome).toMatchObject({ kind: 'unavailable' });
      expect(String('cause' in outcome ? outcome.cause : '')).toContain(
        `${await named()}, which the sentinels name as the master`,
      );

      const backend = await openings.open(opening({ library, natMap: (at) => natMap[at] }));
      await (await take(backend, 'nat')).release();
      proxy.cut('down');
      expect((await attempt(contend(backend, 'nat', 500))).kind).toBe('unknown');
    } finally {
      await proxy.close();
    }
  });
});

test.each(LIBRARIES)(
  'through %s a user with the rights of the page is enough on the sentinels',
  async (library) => {
    const [, rule = ''] = /^ACL SETUSER (.*sentinel\|.*)$/m.exec(page) ?? [];
    const rights = rule.replace('<password>', 'few').split(' ');
    for (const sentinel of redis.sentinels)
      expect(await sentinel.command('ACL', 'SETUSER', ...rights)).toBe('+OK\r\n');
    const backend = await openings.open(
      opening({ library, sentinelUsername: 'locks', sentinelPassword: 'few' }),
    );
    await (await take(backend, 'few')).release();

    await until(async () => {
      const listeners = redis.sentinels.map((each) => each.command('CLIENT', 'LIST'));
      return (await Promise.all(listeners)).some((list) => /sub=2 .*user=locks/.test(list));
    });
  },
);

test('a client of sentinels is used for its configuration, and never connected', async () => {
  const client = new Redis({
    sentinels: redis.sentinels.map(({ port }) => ({ host: '127.0.0.1', port })),
    name: redis.name,
    password: PASSWORD,
    sentinelPassword: SENTINEL_PASSWORD,
    keyPrefix: 'app:',
    lazyConnect: true,
  });
  const backend = await openings.open({ source: client });
  await (await take(backend, 'client')).release();

  expect(client.status).toBe('wait');
  await expect(openings.open({ source: { client, shareClient: true } })).rejects.toThrow(
    ConfigError,
  );
});

test('when it is closed, no connection to a sentinel or a data node is left', async () => {
  const everywhere = async (...args: string[]): Promise<string> => {
    const onServers = redis.servers.map((server) => redis.command(server, ...args));
    const onSentinels = redis.sentinels.map((sentinel) => sentinel.command(...args));
    return (await Promise.all([...onServers, ...onSentinels])).join('');
  };
  await everywhere('ACL', 'SETUSER', 'guest', 'on', '>pw', '~*', '&*', '+@all');
  const connected = async (): Promise<number> =>
    (await everywhere('CLIENT', 'LIST')).split('user=guest').length - 1;
  const backend = await openings.open({
    source: `redis+sentinel://guest:pw@${redis.hosts},127.0.0.1:${await freePort()}/${redis.name}`,
    sentinelUsername: 'guest',
    sentinelPassword: 'pw',
  });
  await (await take(backend, 'left')).release();
  expect(await connected()).toBeGreaterThan(0);

  await backend.close();

  await until(async () => (await connected()) === 0);
});
