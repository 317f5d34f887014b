import { expect, test } from 'vitest';
import { describeNode, parseDescription, requireMaster, warningsOf } from '../src/describe.ts';
import { NodeReplyError, type RedisNode, type Reply } from '../src/port.ts';

const HELLO = [
  'server',
  'redis',
  'version',
  '7.2.4',
  'proto',
  2,
  'id',
  7,
  'mode',
  'standalone',
  'role',
  'master',
  'modules',
  [],
];

const SOON = { deadlineMs: 1 };

function answeringInfo(refusal: NodeReplyError): RedisNode {
  const command = ([name]: readonly string[]): Promise<Reply> =>
    name === 'HELLO' ? Promise.resolve(HELLO) : Promise.reject(refusal);
  return { address: 'h:1', command } as unknown as RedisNode;
}

const info = (fields: Record<string, string>): string =>
  `# Server\r\n${Object.entries(fields)
    .map(([name, value]) => `${name}:${value}\r\n`)
    .join('')}`;

test('INFO of Redis is read', () => {
  const described = parseDescription(
    [],
    info({
      redis_version: '7.0.15',
      redis_mode: 'standalone',
      run_id: 'abc',
      maxmemory_policy: 'noeviction',
      role: 'slave',
    }),
  );

  expect(described).toEqual({
    product: 'redis',
    version: '7.0.15',
    role: 'replica',
    mode: 'standalone',
    runId: 'abc',
    evictionPolicy: 'noeviction',
  });
});

test('INFO of Valkey is read, with the version of Redis that it is compatible with', () => {
  const described = parseDescription(
    ['server', 'valkey', 'version', '8.1.0', 'mode', 'standalone', 'role', 'master'],
    info({
      redis_version: '7.2.4',
      server_name: 'valkey',
      valkey_version: '8.1.0',
      server_mode: 'standalone',
      role: 'master',
    }),
  );

  expect(described).toMatchObject({
    product: 'valkey',
    version: '7.2.4',
    role: 'master',
    mode: 'standalone',
  });
});

test('HELLO alone tells all but the eviction policy and the run', () => {
  expect(parseDescription(HELLO, '')).toEqual({
    product: 'redis',
    version: '7.2.4',
    role: 'master',
    mode: 'standalone',
    runId: undefined,
    evictionPolicy: undefined,
  });
});

test.each([
  ['NOPERM', "NOPERM User app has no permissions to run the 'info' command"],
  ['ERR', "ERR unknown command 'INFO', with args beginning with: "],
])('where INFO is answered with %s, HELLO has to do', async (code, text) => {
  expect(await describeNode(answeringInfo(new NodeReplyError(code, text)), SOON)).toMatchObject({
    version: '7.2.4',
    role: 'master',
    runId: undefined,
    evictionPolicy: undefined,
  });
});

test('any other error reply to INFO is passed on', async () => {
  const busy = new NodeReplyError('ERR', 'ERR max number of clients reached');

  await expect(describeNode(answeringInfo(busy), SOON)).rejects.toBe(busy);
});

test('where nothing is told nothing is known, and nothing refused', () => {
  const described = parseDescription([], '');

  expect(described).toMatchObject({
    product: 'unknown',
    version: undefined,
    role: 'unknown',
    mode: 'unknown',
  });
  requireMaster(described, 'h:1');
  expect(warningsOf(described, 'h:1')).toMatchObject([{ code: 'unchecked-node' }]);
});

test.each([
  [{ redis_version: '6.0.16' }, 'h:1 runs Redis 6.0.16, and at least 6.2 is needed'],
  [{ redis_version: '5.9.0' }, 'runs Redis 5.9.0'],
  [{ redis_version: '7.0.0', role: 'slave' }, 'is a replica'],
  [{ redis_version: '7.0.0', redis_mode: 'sentinel' }, 'is a sentinel'],
  [{ redis_version: '7.0.0', redis_mode: 'cluster' }, 'is a node of a cluster'],
])('%j cannot keep locks', (fields, reason) => {
  expect(() => requireMaster(parseDescription([], info(fields)), 'h:1')).toThrow(reason);
});

test.each(['6.2.0', '6.10.1', '7.0.0', '10.0.0'])('Redis %s is new enough', (version) => {
  expect(() =>
    requireMaster(parseDescription([], info({ redis_version: version })), 'h:1'),
  ).not.toThrow();
});
