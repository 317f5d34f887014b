import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readlinkSync, rmSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test, vi } from 'vitest';
import { Child } from '../../../test/support/child.ts';
import { freePorts } from '../../src/processes/free-ports.ts';
import { RedisServer } from '../../src/servers/redis/real/redis-server.ts';
import { SentinelDeployment } from '../../src/servers/redis/real/sentinel.ts';
import { ZooKeeperEnsemble } from '../../src/servers/zookeeper/real/zookeeper-ensemble.ts';
import { ZooKeeperServer } from '../../src/servers/zookeeper/real/zookeeper-server.ts';

/** Against hanging. */
const PATIENCE = { timeout: 30_000, interval: 20 };
const OWNER = '../harness/test/servers/server-owner-process.ts';

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

/** An owner of a redis-server and a ZooKeeper server, and the folder in which they run. */
async function owner(): Promise<{ child: Child; folder: string }> {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-owner-'));
  closing.push(() => rmSync(folder, { recursive: true, force: true }));
  const child = await Child.start(OWNER, { args: [folder] });
  closing.push(() => child.kill());
  return { child, folder };
}

/** Processes that run in this folder, or watch over those of this owner; not the owner itself. */
function leftOf({ child, folder }: { child: Child; folder: string }): string[] {
  const all = execFileSync('ps', ['-A', '-ww', '-o', 'pid=,stat=,args='], { encoding: 'utf8' });
  return all.split('\n').filter((line) => {
    const [pid = '', state = ''] = line.trim().split(/\s+/);
    const isWatchman = line.endsWith(`supervisor.cjs of ${child.pid}`);
    const isIn = line.includes(folder) || folderOf(pid).startsWith(folder);
    return (isWatchman || isIn) && pid !== `${child.pid}` && !state.startsWith('Z');
  });
}

/** The working folder of a process, if it can be read: redis-server overwrites its own command line. */
function folderOf(pid: string): string {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return '';
  }
}

async function nothingIsLeft(of: { child: Child; folder: string }): Promise<void> {
  await vi.waitFor(() => {
    expect(leftOf(of)).toEqual([]);
    expect(readdirSync(of.folder)).toEqual([]);
  }, PATIENCE);
}

test('servers and their folders go with an owner that is killed', async () => {
  const owned = await owner();
  await owned.child.waitFor('serving');
  expect(leftOf(owned)).toHaveLength(3);

  owned.child.kill();

  await nothingIsLeft(owned);
});

test('also paused servers', async () => {
  const owned = await owner();
  await owned.child.waitFor('serving');
  owned.child.send('stop');
  await owned.child.waitFor('stopped');
  expect(leftOf(owned)).toHaveLength(3);

  owned.child.kill();

  await nothingIsLeft(owned);
});

test('at whatever moment it is killed', { timeout: 120_000 }, async () => {
  for (let kill = 0; kill < 5; kill++) {
    const owned = await owner();
    // From before anything is started until everything serves; where it falls does not decide what is expected.
    await Promise.race([owned.child.waitFor('serving'), sleep(Math.random() * 500)]);

    owned.child.kill();

    await nothingIsLeft(owned);
    expect(leftOf(owned)).toEqual([]);
  }
});

test('an owner whose watchman is killed ends its servers itself', async () => {
  const owned = await owner();
  await owned.child.waitFor('serving');
  const watchman = leftOf(owned).find((line) => line.includes('supervisor.cjs'));

  process.kill(Number.parseInt(watchman ?? '', 10), 'SIGKILL');

  await vi.waitFor(() => expect(leftOf(owned)).toEqual([]), PATIENCE);
  expect(owned.child.isAlive).toBe(true);
});

/** Ports of which the first are taken by now, once. */
function takenFirst(...taken: readonly number[]): (count: number) => Promise<readonly number[]> {
  const left = [...taken];
  return async (count) => {
    const first = left.splice(0, count);
    return [...first, ...(await freePorts(count - first.length))];
  };
}

async function listener(): Promise<number> {
  const server = createServer((socket) => socket.end());
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  closing.push(() => server.close());
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}

test('a redis-server whose port another one has taken meanwhile gets another port', async () => {
  const other = await RedisServer.start();
  closing.push(() => other.close());

  const server = await RedisServer.start({}, takenFirst(other.port, await listener()));
  closing.push(() => server.close());

  expect(await processAt(server.port)).toBe(server.pid);
  expect(await processAt(other.port)).toBe(other.pid);
});

test('so does a ZooKeeper server, which the other would have answered for', async () => {
  const other = await ZooKeeperServer.start();
  closing.push(() => other.close());

  const server = await ZooKeeperServer.start({}, takenFirst(other.port, await listener()));
  closing.push(() => server.close());

  expect(server.port).not.toBe(other.port);
  expect(await server.mode()).toBe('standalone');
});

test('an ensemble that has lost a port for clients, then those for followers, then one for votes, gets others', {
  timeout: 60_000,
}, async () => {
  // Only the one that leads needs the ports for followers.
  const lost = [[2], [3, 5, 7], [6]];
  const find = vi.fn<(count: number) => Promise<readonly number[]>>(async (count) => {
    const ports = [...(await freePorts(count))];
    for (const place of lost.shift() ?? []) ports[place] = await listener();
    return ports;
  });

  const ensemble = await ZooKeeperEnsemble.start({}, find);
  closing.push(() => ensemble.close());

  // The system may give out again what was free before, so it can take more.
  expect(find.mock.calls.length).toBeGreaterThan(3);
  expect(await ensemble.leader()).toBeDefined();
});

test('when every port is taken that is why', async () => {
  const taken = await listener();

  const starting = RedisServer.start({}, () => Promise.resolve([taken]));

  await expect(starting).rejects.toThrow(/^redis-server on port \d+ [^]*[Aa]ddress already in use/);
});

/** The process that answers there, by its own account. */
function processAt(port: number): Promise<number> {
  return new Promise((done, fail) => {
    const socket = connect(port, '127.0.0.1', () => socket.write('INFO server\r\n'));
    let text = '';
    socket.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
      const pid = /process_id:(\d+)/.exec(text)?.[1];
      if (pid === undefined) return;
      socket.destroy();
      done(Number(pid));
    });
    socket.on('error', fail);
  });
}

test('sentinels that fail over once more while they recover have their replicas in sync at last', async () => {
  const redis = await SentinelDeployment.start();
  try {
    const old = await redis.master();
    old.kill();
    const next = await redis.moved(old);
    // A busy machine is enough: a master that is silent for 300 ms counts as down.
    const recovering = redis.recover();
    const last = await redis.failover();
    await recovering;
    await redis.recover();

    expect(last).not.toBe(next);
    // It may have happened again since.
    await expect.poll(() => everyReplicaFollows(redis), { timeout: 20_000 }).toBe(true);
  } finally {
    await redis.close();
  }
});

async function everyReplicaFollows(redis: SentinelDeployment): Promise<boolean> {
  const master = await redis.master();
  const infos = await Promise.all(
    redis.servers
      .filter((server) => server !== master)
      .map((server) => redis.command(server, 'INFO', 'replication')),
  );
  return infos.every((info) =>
    info.includes(`master_port:${master.port}\r\nmaster_link_status:up`),
  );
}
