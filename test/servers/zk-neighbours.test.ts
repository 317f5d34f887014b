import type { Locks } from '@holdfast/core';
import { createHost, createLocks } from '@holdfast/core/backend';
import { openZk } from '@holdfast/zk';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { Proxy, ZooKeeperServer } from '../../harness/test/kit/real-servers.ts';
import { type Command, curator, kazoo, NeighbourProcess } from './support/neighbour-process.ts';

const T_MS = 4_000;
const LONG_MS = 30_000;

let server: ZooKeeperServer;
beforeAll(async () => {
  server = await ZooKeeperServer.start();
});
afterAll(() => server.close());

const open: (() => Promise<unknown> | void)[] = [];
afterEach(async () => {
  for (const close of open.splice(0)) await close();
});

async function ours(port = server.port): Promise<Locks> {
  const host = createHost({ label: 'ours' });
  const servers = [`127.0.0.1:${port}`];
  const backend = await openZk({ servers, sessionTimeoutMs: T_MS, locksAt: '/locks' }, host);
  const locks = createLocks(backend, host);
  open.push(() => locks.close({ timeoutMs: 100 }));
  return locks;
}

/** Resolves when it serves: a JVM takes its time. */
async function start(command: Command): Promise<NeighbourProcess> {
  if (command === undefined) throw new Error('it is not installed');
  const neighbour = new NeighbourProcess(command);
  open.push(() => neighbour.kill());
  await neighbour.ready;
  return neighbour;
}

const NEIGHBOURS = [
  ['Curator', (address: string): Command => curator(address, T_MS)],
  ['kazoo', (address: string): Command => kazoo(address, T_MS, ['-lock-'])],
] as const;

describe.each(NEIGHBOURS)('%s', (name, commandAt) => {
  const isMissing = commandAt('') === undefined;
  const key = `orders-${name}`;
  const path = `/locks/${key}`;

  test.skipIf(isMissing)('and ours exclude each other in every order', async () => {
    const [locks, theirs] = [await ours(), await start(commandAt(server.address))];
    let inside = 0;
    const rounds: string[] = [];
    const enter = (who: string): void => {
      expect(++inside, 'two clients are inside').toBe(1);
      rounds.push(who);
    };
    const our = async (): Promise<void> => {
      for (let i = 0; i < 30; i++)
        await locks.use(key, async () => {
          enter('ours');
          await new Promise(setImmediate);
          inside -= 1;
        });
    };
    const their = async (): Promise<void> => {
      for (let i = 0; i < 30; i++) {
        expect(await theirs.acquire(path, LONG_MS)).toBe(true);
        enter('theirs');
        inside -= 1;
        await theirs.release(path);
      }
    };

    await Promise.all([our(), our(), their()]);

    expect(rounds).toHaveLength(90);
    // They took turns: neither waited for the end of the other.
    expect(rounds.lastIndexOf('ours')).toBeGreaterThan(rounds.indexOf('theirs'));
  });

  test.skipIf(isMissing)('waits for ours, and ours for it; a crash ends either hold', async () => {
    const [locks, theirs] = [await ours(), await start(commandAt(server.address))];
    expect(await theirs.acquire(path, LONG_MS)).toBe(true);
    expect(await locks.tryAcquire(key)).toBeNull();
    const waiting = locks.acquire(key, { waitMs: LONG_MS });
    const next = await start(commandAt(server.address));
    theirs.kill();
    const lease = await waiting;

    const isBeside = await next.acquire(path, 200);
    expect([isBeside, lease.state]).toEqual([false, 'held']);
    await lease.release();
    expect(await next.acquire(path, LONG_MS)).toBe(true);
  });

  test.skipIf(isMissing)(
    'gets the key after our session is lost, and we have stopped by then',
    async () => {
      const proxy = await Proxy.start(server.port);
      open.push(() => proxy.close());
      const [locks, theirs] = [await ours(proxy.port), await start(commandAt(server.address))];
      const lease = await locks.acquire(key);
      proxy.cut();

      expect(await theirs.acquire(path, LONG_MS)).toBe(true);

      expect(lease.state).toBe('lost');
    },
  );

  test.skipIf(isMissing)(
    'that was paused for longer than its session has lost the key to us',
    async () => {
      const [locks, theirs] = [await ours(), await start(commandAt(server.address))];
      expect(await theirs.acquire(path, LONG_MS)).toBe(true);
      theirs.pause();

      const lease = await locks.acquire(key, { waitMs: LONG_MS });

      expect(lease.state).toBe('held');
      theirs.resume();
    },
  );
});

const alone = (address: string): Command => kazoo(address, T_MS, []);

test.skipIf(alone('') === undefined)(
  'kazoo without extra_lock_patterns is granted beside us: the page says so',
  async () => {
    const [locks, theirs] = [await ours(), await start(alone(server.address))];
    const lease = await locks.acquire('unprotected');

    expect(await theirs.acquire('/locks/unprotected', 5_000)).toBe(true);

    expect(lease.state).toBe('held');
  },
);
