import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { RedisServer, ZooKeeperServer } from '../../../harness/test/kit/real-servers.ts';
import { fromCatalog, installInto, packAll } from '../../packing/packed.ts';
import { run } from '../../support/run.ts';
import { programOf, RUNTIMES } from './support/runtimes.ts';

/** A backend with the client library that it uses, and the number of its servers. */
const ROWS = [
  { name: 'memory', library: '-', redis: 0, zooKeeper: 0 },
  { name: 'redis-simple', library: 'ioredis', redis: 1, zooKeeper: 0 },
  { name: 'redis-simple', library: 'redis', redis: 1, zooKeeper: 0 },
  { name: 'redis-getset', library: 'ioredis', redis: 1, zooKeeper: 0 },
  { name: 'redlock', library: 'redis', redis: 3, zooKeeper: 0 },
  { name: 'zk', library: '-', redis: 0, zooKeeper: 1 },
] as const;

const home = mkdtempSync(join(tmpdir(), 'holdfast-runtimes-'));
const project = join(home, 'consumer');
const closing: (() => Promise<void>)[] = [];
/** The servers of each row, as `contract.js` takes them. */
let servers: readonly (readonly string[])[];

beforeAll(async () => {
  await installInto(project, await packAll(home), fromCatalog('ioredis', 'redis', '@types/node'));
  servers = await Promise.all(
    ROWS.map(async ({ redis, zooKeeper }) => [
      ...(await many(redis, startRedis)),
      ...(await many(zooKeeper, startZooKeeper)),
    ]),
  );
}, 300_000);

afterAll(async () => {
  await Promise.all(closing.map((close) => close()));
  rmSync(home, { recursive: true, force: true });
});

async function many(count: number, start: () => Promise<string>): Promise<readonly string[]> {
  return await Promise.all(Array.from({ length: count }, start));
}

async function startRedis(): Promise<string> {
  const server = await RedisServer.start();
  closing.push(() => server.close());
  return `${server.url}#${server.pid}`;
}

async function startZooKeeper(): Promise<string> {
  const server = await ZooKeeperServer.start();
  closing.push(() => server.close());
  return server.address;
}

describe.each(RUNTIMES)('$name', (runtime) => {
  let program: string;
  beforeAll(async () => {
    program = await programOf(runtime);
  }, 300_000);

  test.concurrent.each(ROWS.map((row, n) => ({ ...row, n })))(
    'keeps the contract of $name ($library)',
    async ({ name, library, n }) => {
      const command = [...runtime.before, 'contract.js', name, library, ...(servers[n] ?? [])];
      const { code, output } = await run(program, command, { cwd: project });

      expect(output).toMatch(new RegExp(`^${name}: [2-9]\\d kept, \\d+ skipped\\n$`));
      expect(code).toBe(0);
    },
  );

  test('requires the library from CommonJS', async () => {
    const { output } = await run(program, [...runtime.before, 'commonjs/use.cjs'], {
      cwd: project,
    });

    expect(output).toBe('held orders/42, one copy\n');
  });
});
