import { ConfigError } from '@holdfast/core';
import { Redis } from 'ioredis';
import { Redis as Valkey } from 'iovalkey';
import { createClient } from 'redis';
import { expect, test } from 'vitest';
import type { IoredisClient, NodeRedisClient } from '../src/adapters/clients.ts';
import { safeIoredisOptions } from '../src/adapters/ioredis.ts';
import { type Libraries, loadClient, loadIoredis } from '../src/adapters/load.ts';
import { safeNodeRedisOptions } from '../src/adapters/node-redis.ts';
import { parseRedisUrl } from '../src/endpoint.ts';
import { redactedError, replyText } from '../src/failure.ts';

const endpoint = parseRedisUrl('rediss://user:secret@h:1/2');

function missing(name: string): () => Promise<never> {
  const error = Object.assign(new Error(`Cannot find package '${name}' imported from here`), {
    code: 'ERR_MODULE_NOT_FOUND',
  });
  return () => Promise.reject(error);
}

/** As `require` rejects. */
function required(): Promise<never> {
  const message = "Cannot find module 'ioredis'\nRequire stack: …";
  return Promise.reject(Object.assign(new Error(message), { code: 'MODULE_NOT_FOUND' }));
}

interface Given {
  library?: string;
  options?: object;
}

/** Libraries whose clients are the options they were made with. */
function libraries(given: Given, overrides: Partial<Libraries> = {}): Libraries {
  const fake = (library: string): Libraries['ioredis'] => {
    function FakeRedis(options: object): void {
      Object.assign(given, { library, options });
    }
    return () =>
      Promise.resolve({ Redis: FakeRedis as unknown as new (options: object) => IoredisClient });
  };
  const fakeCreate = (): object => ({
    duplicate: (options: object) => Object.assign(given, { library: 'redis', options }),
  });
  return {
    ioredis: fake('ioredis'),
    iovalkey: fake('iovalkey'),
    redis: () => Promise.resolve({ createClient: fakeCreate as () => NodeRedisClient }),
    ...overrides,
  };
}

test('ioredis is taken first, with everything the URL says', async () => {
  const given: Given = {};

  const { library } = await loadClient(endpoint, { tls: { ca: 'ours' } }, libraries(given));

  expect(library).toBe('ioredis');
  expect(given.options).toEqual({
    host: 'h',
    port: 1,
    family: 0,
    db: 2,
    username: 'user',
    password: 'secret',
    tls: { ca: 'ours' },
    lazyConnect: true,
  });
});

test('node-redis is taken when ioredis is not installed', async () => {
  const given: Given = {};

  const { library } = await loadClient(
    endpoint,
    { tls: { ca: 'ours' } },
    libraries(given, { ioredis: missing('ioredis') }),
  );

  expect(library).toBe('redis');
  expect(given.options).toEqual({
    socket: { host: 'h', port: 1, tls: true, ca: 'ours' },
    database: 2,
    username: 'user',
    password: 'secret',
  });
});

test('iovalkey is taken when it is named, or when it alone is installed, and used as ioredis', async () => {
  const named: Given = {};
  const alone: Given = {};
  const missed = { ioredis: missing('ioredis'), redis: missing('redis') };

  const asked = await loadClient(endpoint, { library: 'iovalkey' }, libraries(named));
  const found = await loadClient(endpoint, {}, libraries(alone, missed));

  expect([asked.library, found.library]).toEqual(['ioredis', 'ioredis']);
  expect(named).toEqual({ library: 'iovalkey', options: alone.options });
  expect(alone.library).toBe('iovalkey');
});

test('the nodes of a Cluster of ioredis or iovalkey are reached by the one that is installed', async () => {
  const both: Given = {};
  const alone: Given = {};

  await loadIoredis(endpoint, libraries(both));
  await loadIoredis(endpoint, libraries(alone, { ioredis: missing('ioredis') }));

  expect([both.library, alone.library]).toEqual(['ioredis', 'iovalkey']);
});

test('where none is installed the connection is our own; an error says what to install if one is asked for', async () => {
  const none = libraries(
    {},
    {
      ioredis: missing('ioredis'),
      iovalkey: missing('iovalkey'),
      redis: missing('redis'),
    },
  );

  expect((await loadClient(endpoint, {}, none)).library).toBe('resp');
  await expect(loadClient(endpoint, { library: 'redis' }, none)).rejects.toThrow(/npm i redis$/);
  await expect(loadClient(endpoint, { library: 'iovalkey' }, none)).rejects.toThrow(
    /npm i iovalkey$/,
  );
  await expect(loadClient(endpoint, { library: 'ioredis' }, none)).rejects.toBeInstanceOf(
    ConfigError,
  );
});

test('a library that is missed by the require of a bundle is missing, too', async () => {
  const { library } = await loadClient(endpoint, {}, libraries({}, { ioredis: required }));

  expect(library).toBe('redis');
});

test('a library that is installed and fails to load is not taken for a missing one', async () => {
  const broken = libraries({}, { ioredis: missing('something-it-needs') });

  await expect(loadClient(endpoint, {}, broken)).rejects.toThrow('something-it-needs');
});

test('a failure is told without the secrets in it, and without the command that ioredis hangs on its errors', () => {
  const error = Object.assign(new Error('WRONGPASS invalid for user:s3cr%2Ft and s3cr/t'), {
    name: 'ReplyError',
    command: { name: 'auth', args: ['user', 's3cr/t'] },
  });

  const plain = redactedError(error, ['s3cr/t', 's3cr%2Ft']);

  expect(plain).toMatchObject({ name: 'NodeReplyError', code: 'WRONGPASS' });
  expect(JSON.stringify(plain)).not.toContain('s3cr');
  expect(`${plain.message}${plain.stack}`).not.toContain('s3cr');
});

test('a failure to reach any of several addresses names them', () => {
  const error = new AggregateError([
    new Error('connect ECONNREFUSED ::1:1'),
    new Error('connect ECONNREFUSED 127.0.0.1:1'),
  ]);

  expect(redactedError(error, []).message).toBe(
    'connect ECONNREFUSED ::1:1; connect ECONNREFUSED 127.0.0.1:1',
  );
});

test.each([
  'Connection is closed.',
  'Command timed out',
  "Stream isn't writeable and enableOfflineQueue options is false",
  'Reached the max retries per request limit (which is 0).',
  'Socket closed unexpectedly',
  'The client is offline',
  'read ECONNRESET',
])('%j, which a library says, is not taken for a reply', (message) => {
  expect(replyText(new Error(message))).toBeUndefined();
});

// Clients that are never connected show with which options they would have been.

test.each([
  ['ioredis', Redis],
  ['iovalkey', Valkey as unknown as typeof Redis],
])(
  'every connection of %s is one that queues, repeats and reconnects nothing, whatever the client does',
  (_, Client) => {
    const client = new Client({
      lazyConnect: true,
      keyPrefix: 'app:',
      commandTimeout: 5_000,
      reconnectOnError: () => 2,
      stringNumbers: true,
    });

    const { options } = client.duplicate(safeIoredisOptions());

    expect(options).toMatchObject({
      enableOfflineQueue: false,
      autoResendUnfulfilledCommands: false,
      autoResubscribe: false,
      reconnectOnError: null,
      keyPrefix: '',
      commandTimeout: undefined,
      stringNumbers: false,
    });
    expect(options.retryStrategy?.(1)).toBeNull();
  },
);

test('every connection of node-redis is one that queues and reconnects nothing, whatever the client does', () => {
  const client = createClient({
    url: 'redis://user:secret@h:1/2',
    socket: { socketTimeout: 5_000, noDelay: false },
    pingInterval: 1_000,
    commandsQueueMaxLength: 3,
  });

  const { options } = client.duplicate(safeNodeRedisOptions(client, new AbortController().signal));

  expect(options).toMatchObject({
    disableOfflineQueue: true,
    commandOptions: { timeout: 0 },
    pingInterval: undefined,
    commandsQueueMaxLength: undefined,
    username: 'user',
    password: 'secret',
    database: 2,
    socket: {
      host: 'h',
      port: 1,
      noDelay: false,
      socketTimeout: undefined,
      reconnectStrategy: false,
    },
  });
});

test('a short user name garbles no words, and is hidden where it stands alone', () => {
  const secrets = ['u', 'pw'];

  expect(redactedError(new Error('could not use u, nor u:pw'), secrets).message).toBe(
    'could not use ***, nor ***:***',
  );
  expect(redactedError(new Error('sha1longsecretsha1'), ['longsecret']).message).toBe(
    'sha1***sha1',
  );
  expect(redactedError(new Error('no redis://x:other@h'), secrets).message).toBe(
    'no redis://***@h',
  );
});
