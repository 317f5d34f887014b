import type { Locks } from '@holdfast/core';
import { createHost, createLocks } from '@holdfast/core/backend';
import { migration, openPostgres } from '@holdfast/postgres';
import { openRedisSimple } from '@holdfast/redis-simple';
import { openZk } from '@holdfast/zk';
import { afterEach, describe, expect, test } from 'vitest';
import {
  EtcdEnsemble,
  PostgresServer,
  RedisServer,
  ZooKeeperEnsemble,
} from '../../../harness/test/kit/real-servers.ts';
import { openOn } from './support/etcd-chaos.ts';
import { ModeJudge, turnInMode } from './support/mode-chaos.ts';
import {
  anyOf,
  ChaosClients,
  clientInjections,
  type Injection,
  injectFor,
  sleep,
} from './support/store-chaos.ts';

const CHAOS_MS = Number(process.env['CHAOS_MS'] ?? 300_000);
const TTL_MS = 4_000;
/** A leader of etcd that is paused for less than a ttl ends no lease early, of whatever version it is. */
const PAUSE_MS_MAX = 1_500;

interface Server {
  readonly port: number;
  stop(): void;
  resume(): void;
}

interface Store {
  readonly servers: readonly Server[];
  close(): Promise<void>;
}

/** A store, and how a client opens locks on it. */
const STORES: Readonly<
  Record<string, readonly [() => Promise<Store>, (addresses: readonly string[]) => Promise<Locks>]>
> = {
  'redis-simple': [
    async () => alone(await RedisServer.start()),
    async ([address = '']) => {
      const host = createHost();
      const backend = await openRedisSimple({ source: `redis://${address}` }, host);
      return createLocks(backend, host, { ttlMs: TTL_MS });
    },
  ],
  postgres: [
    async () => {
      const server = await PostgresServer.start();
      await server.sql(migration());
      return alone(server);
    },
    async ([address = '']) => {
      const host = createHost();
      const source = `postgres://holdfast@${address}/postgres`;
      return createLocks(await openPostgres({ source }, host), host, { ttlMs: TTL_MS });
    },
  ],
  etcd: [
    async () => await EtcdEnsemble.start(),
    async (addresses) => (await openOn(addresses, TTL_MS)).locks,
  ],
  zk: [
    async () => await ZooKeeperEnsemble.start(),
    async (servers) => {
      const host = createHost();
      return createLocks(await openZk({ servers, sessionTimeoutMs: TTL_MS }, host), host);
    },
  ],
};

function alone(server: Server & { close(): Promise<void> }): Store {
  return { servers: [server], close: () => server.close() };
}

let store: Store | undefined;
let clients: ChaosClients | undefined;
afterEach(async () => {
  for (const server of store?.servers ?? []) server.resume();
  await clients?.close();
  await store?.close();
  clients = undefined;
  store = undefined;
});

describe.each(Object.entries(STORES))('on %s, under chaos', (name, [startStore, open]) => {
  test(
    'a writer holds alone, and no more permits are valid than there are',
    async () => {
      const started = await startStore();
      store = started;
      const ports = started.servers.map(({ port }) => port);
      const contending = await ChaosClients.start({ size: 6, ports, open });
      clients = contending;
      const pause: Injection = async () => {
        const server = anyOf(started.servers);
        server.stop();
        await sleep(PAUSE_MS_MAX * Math.random());
        server.resume();
      };
      const judge = new ModeJudge();

      const running = contending.run((client, locks) => turnInMode(judge, client, locks));
      const injections = { 'a server is paused': pause, ...clientInjections(() => clients) };
      const counts = await injectFor(CHAOS_MS, injections);
      contending.end();
      await running;

      console.info(`${name}: ${JSON.stringify(judge.grants)}, ${JSON.stringify(counts)}`);
      expect(judge.violations).toEqual([]);
      expect(Math.min(...Object.values(judge.grants))).toBeGreaterThan(CHAOS_MS / 20_000);
    },
    CHAOS_MS + 120_000,
  );
});

test('the judge notices a reader beside a writer, a permit too many, and a lost update', async () => {
  const judge = new ModeJudge();
  const [writer, reader] = [lease(), lease()];
  judge.granted('a', writer, 'write');
  judge.granted('b', reader, 'read');
  judge.granted('c', lease(), 2);
  judge.granted('d', lease(), 2);
  await Promise.all([judge.work('a', writer, 'write'), judge.work('e', writer, 'write')]);

  expect(judge.violations).toEqual([
    'b got read beside a with write',
    'd made it 4 of 3 permits',
    expect.stringMatching(/^[ae] with write found the counter changed$/),
  ]);
});

function lease(): Parameters<ModeJudge['granted']>[1] {
  return { remainingMs: () => 5, release: () => Promise.resolve({ kind: 'released' }) };
}
