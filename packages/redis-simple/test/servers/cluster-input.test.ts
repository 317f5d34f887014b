import { ConfigError } from '@holdfast/core';
import { createHost, systemRuntime } from '@holdfast/core/backend';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePort, RedisServer } from '../../../../harness/test/kit/real-servers.ts';
import { attempt, contend, take, until } from '../../../../test/support/contending.ts';
import { openRedisSimple } from '../../src/index.ts';
import { ClusterWorld, heldKeysOf, PASSWORD } from './support/cluster-world.ts';

const LIBRARIES = ['ioredis', 'redis'] as const;
const runtime = systemRuntime();

let world: ClusterWorld;
let another: ClusterWorld;
let alone: RedisServer;
beforeAll(async () => {
  [world, another, alone] = await Promise.all([
    ClusterWorld.start({ masters: 1, replicas: 0 }),
    ClusterWorld.start({ masters: 1, replicas: 0 }),
    RedisServer.start({ args: ['--requirepass', PASSWORD] }),
  ]);
});
afterAll(() => Promise.all([world.close(), another.close(), alone.close()]));

function addressOf(of: ClusterWorld): string {
  return of.cluster.masters[0]?.address ?? '';
}

const url = (...hosts: string[]): string => `redis+cluster://:${PASSWORD}@${hosts.join(',')}`;

describe.each(LIBRARIES)('through %s', (library) => {
  async function refusal(source: string): Promise<unknown> {
    return await world.open({ source, library }).then(
      () => 'opened',
      (error: unknown) => error,
    );
  }

  test('a list that mixes two clusters is refused', async () => {
    const error = await refusal(url(addressOf(world), addressOf(another)));
    expect(error).toBeInstanceOf(ConfigError);
    expect(String(error)).toMatch(/belongs to another cluster than the other addresses/);
    expect(String(error)).not.toContain(PASSWORD);
  });

  test('a standalone server in the URL of a cluster is refused, and a cluster in that of a server', async () => {
    const standalone = `127.0.0.1:${alone.port}`;
    expect(String(await refusal(url(standalone)))).toMatch(/is a standalone server/);
    expect(String(await refusal(url(addressOf(world), standalone)))).toMatch(/is a standalone/);
    const one = await refusal(`redis://:${PASSWORD}@${addressOf(world)}`);
    expect(one).toBeInstanceOf(ConfigError);
    expect(String(one)).toMatch(/is a node of a cluster/);
  });

  test('TLS to plain nodes is refused', async () => {
    const error = await refusal(url(addressOf(world)).replace('redis', 'rediss'));
    expect(error).toBeInstanceOf(ConfigError);
    expect(String(error)).toMatch(/does not speak TLS: its URL begins with redis\+cluster:/);
  });

  test('a wrong password is refused, and shown nowhere', async () => {
    const error = await refusal(`redis+cluster://:wr0ng-secret@${addressOf(world)}`);
    expect(error).toBeInstanceOf(ConfigError);
    expect(String(error)).toMatch(/refused access: WRONGPASS/);
    expect(JSON.stringify(error) + String(error)).not.toContain('wr0ng-secret');
  });

  test('a seed that is down does not matter, and when all are down, opening warns and attempts are unavailable', async () => {
    const down = `127.0.0.1:${await freePort()}`;
    const half = await world.open({ source: url(down, addressOf(world)), library });
    await (await take(half, 'half')).release();

    const warnings: string[] = [];
    const host = createHost({ on: { warning: ({ code }) => void warnings.push(code) } });
    const none = await openRedisSimple({ source: url(down, down), library }, host);
    expect(warnings).toEqual(['unchecked-node']);
    const from = runtime.now();
    const outcome = await attempt(contend(none, 'none', 1_000));
    expect(outcome).toMatchObject({ kind: 'unavailable' });
    expect(runtime.elapsedMs(from)).toBeLessThan(1_000);
    expect(await none.health?.()).toMatchObject({ ok: false });
    await expect(heldKeysOf(none)).rejects.toMatchObject({ name: 'BackendUnavailableError' });
    await none.close();
  });

  test('an answer that leads nowhere is unavailable within the deadline of the call', async () => {
    const seed = addressOf(world).replace('127.0.0.1', 'localhost');
    const natMap = { [addressOf(world)]: { host: 'no-such-host.invalid', port: 7_000 } };
    const lost = await world.open({ source: url(seed), library, natMap });
    const from = runtime.now();
    const outcome = await attempt(contend(lost, 'lost', 2_000));
    expect(outcome).toMatchObject({ kind: 'unavailable' });
    expect(runtime.elapsedMs(from)).toBeLessThan(1_000);
  });

  test('a server that was down at opening, and comes up as one of the other kind, is never used', async () => {
    const port = await freePort();
    const args = ['--port', `${port}`];
    const asServer = await world.open({ source: `redis://127.0.0.1:${port}`, library });
    const asCluster = await world.open({ source: `redis+cluster://127.0.0.1:${port}`, library });

    const cluster = await RedisServer.start({ args: [...args, '--cluster-enabled', 'yes'] });
    const raw = new Redis(port);
    // It owns every slot, so that it could serve every key.
    await raw.call('CLUSTER', 'ADDSLOTSRANGE', 0, 16_383);
    await until(async () => String(await raw.call('CLUSTER', 'INFO')).includes('cluster_state:ok'));
    raw.disconnect();
    await until(async () =>
      saysWrong(await attempt(contend(asServer, 'k')), /a node of a cluster/),
    );
    await cluster.close();
    const server = await RedisServer.start({ args });
    await until(async () => saysWrong(await attempt(contend(asCluster, 'k')), /standalone server/));
    await until(async () => (await attempt(contend(asServer, 'k'))).kind === 'granted');
    expect(await heldKeysOf(asServer)).toEqual(['k']);
    await server.close();
  });
});

test.each([
  ['all', 2],
  ['some', 1],
] as const)(
  'where %s servers lack shard channels, as Redis 6.2, each wakes its waiters by what it has',
  async (_, count) => {
    const missing = ['SSUBSCRIBE', 'SPUBLISH'].flatMap((name) => ['--rename-command', name, '']);
    const argsOf = (place: number): readonly string[] => (place < count ? missing : []);
    const mixed = await ClusterWorld.start({ masters: 2, replicas: 0, argsOf });
    for (const library of LIBRARIES) {
      const backend = await mixed.open({ source: mixed.cluster.url, library });
      const { signal } = new AbortController();
      const keys = await mixed.keysOnEachMaster('old');
      // The first one lacks them: what it refuses says nothing about the others.
      const order = await Promise.all(keys.map((key) => mixed.masterOf(key)));
      for (const master of mixed.cluster.masters) {
        const key = keys[order.indexOf(master)] ?? '';
        const holder = await take(backend, key);
        const waiter = contend(backend, key);
        await attempt(waiter);
        await waiter.changed?.(signal);
        await attempt(waiter);
        const changed = waiter.changed?.(signal);
        const from = runtime.now();
        await holder.release();
        await changed;
        // The safety poll would take two seconds.
        expect(runtime.elapsedMs(from)).toBeLessThan(1_000);
        await waiter.withdraw();
      }
    }
    await mixed.close();
  },
);

/** True for an attempt that is refused, because of a server of the wrong kind. */
function saysWrong(outcome: Awaited<ReturnType<typeof attempt>>, why: RegExp): boolean {
  if (outcome.kind === 'granted') throw new Error('granted by a server of the wrong kind');
  // A client that has known a cluster there, as it may on a busy machine, waits for it to come back.
  if (outcome.kind === 'unavailable') return why.test(String(outcome.cause));
  return outcome.kind === 'refused' && why.test(String(outcome.error));
}
