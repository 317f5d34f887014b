import { migration } from '@holdfast/postgres';
import { openLocks } from 'holdfast';
import { afterEach, describe, expect, test } from 'vitest';
import {
  EtcdServer,
  PostgresServer,
  RedisServer,
  ZooKeeperServer,
} from '../../../harness/test/kit/real-servers.ts';
import { endAll, isAlive, RunProcess } from '../../../packages/holdfast/test/kit.ts';

interface Opened {
  /** The store, for `--on`. */
  readonly url: string;
  /** Undefined where the ttl is that of the session. */
  readonly ttl?: string;
  close(): Promise<void>;
}

const STORES: Readonly<Record<string, () => Promise<Opened>>> = {
  async 'redis-simple'() {
    const server = await RedisServer.start();
    return { url: server.url, ttl: '4s', close: () => server.close() };
  },
  async redlock() {
    const servers = await Promise.all([1, 2, 3].map(() => RedisServer.start()));
    const close = async (): Promise<void> => {
      await Promise.all(servers.map((each) => each.close()));
    };
    const addresses = servers.map(({ port }) => `127.0.0.1:${port}`);
    return { url: `redlock://${addresses.join(',')}`, ttl: '4s', close };
  },
  async etcd() {
    const server = await EtcdServer.start();
    return { url: server.url, ttl: '6s', close: () => server.close() };
  },
  async postgres() {
    const server = await PostgresServer.start();
    await server.sql(migration());
    return { url: server.url, ttl: '4s', close: () => server.close() };
  },
  async zk() {
    const server = await ZooKeeperServer.start();
    return { url: `${server.url}?ttlMs=6000`, close: () => server.close() };
  },
};

afterEach(() => endAll());

describe.each(Object.entries(STORES))('holdfast run on %s', (_name, open) => {
  test('keeps others out, passes the status on, and leaves no process past the lease', async () => {
    const opened = await open();
    const { url, ttl } = opened;
    const options = ttl === undefined ? [] : ['--ttl', ttl];
    const command = ['sh', '-c', 'trap "" TERM; echo "pids $$ $PPID"; sleep 1000'];
    const stopped = new RunProcess(url, 'k', command, { options });
    const pids = await stopped.hearsPids('pids');
    const refused = new RunProcess(url, 'k', ['echo', 'ran'], { options: ['--no-wait'] });
    expect((await refused.ended).status).toBe(75);
    expect(refused.said).toEqual([]);
    stopped.signal('SIGSTOP');

    const locks = await openLocks(url);
    const alive = await locks.use('k', () => pids.filter(isAlive), { waitMs: 100_000 });
    expect(alive).toEqual([]);
    await locks.close();

    const next = new RunProcess(url, 'k', ['sh', '-c', 'exit 5'], { options });
    const { status, errors } = await next.ended;
    expect([status, errors]).toEqual([5, '']);
    stopped.signal('SIGKILL');
    await opened.close();
  });
});
