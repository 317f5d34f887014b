import {
  BackendUnavailableError,
  type LockEvent,
  LockLostError,
  type Locks,
  LockTimeoutError,
} from '@holdfast/core';
import { createHost, createLocks } from '@holdfast/core/backend';
import {
  channelDriver,
  immediateDriver,
  Network,
  type RedisAddress,
  type SimProcess,
  SimRedisServer,
  SimRedisService,
  simRedisNode,
  World,
  type WorldOptions,
} from '@holdfast/harness/simulator';
import { describe, expect, test } from 'vitest';
import { runs } from '../../../../test/support/runs.ts';
import { openRedisSimple } from '../../src/index.ts';

const LATENCY_MS = 1;
const TTL_MS = 1_000;
const LOCK = 'holdfast:v1:{k}:lock';

/** Clients with redis-simple locks, on one simulated server by default. */
class Stage {
  readonly world: World;
  readonly network: Network;
  readonly server: SimRedisServer;
  readonly events: LockEvent[] = [];

  constructor(options: WorldOptions = {}) {
    this.world = new World({ guard: true, ...options });
    this.network = new Network(this.world, { latencyMs: LATENCY_MS });
    this.server = new SimRedisServer(this.world, 'n1');
  }

  async client(name: string, address: RedisAddress = this.server): Promise<Client> {
    const process = this.world.process(name);
    const node = simRedisNode(process, address, this.network);
    const host = createHost({ runtime: process.runtime, label: name });
    host.on('lost', (event) => this.events.push(event));
    const backend = await openRedisSimple({ node }, host);
    return { process, locks: createLocks(backend, host, { ttlMs: TTL_MS }) };
  }

  /** The label in the stored owner value. */
  holder(server: SimRedisServer = this.server): string | undefined {
    const value = server.engine.execute(['GET', LOCK]);
    return typeof value === 'string' ? value.split(':').at(-1) : undefined;
  }
}

interface Client {
  readonly process: SimProcess;
  readonly locks: Locks;
}

test('three clients take turns, and each is woken by the release of the one before', async () => {
  const stage = new Stage();
  const turns: string[] = [];

  await stage.world.run(async () => {
    const clients = await Promise.all(['a', 'b', 'c'].map((name) => stage.client(name)));
    const fromMs = stage.world.nowMs;
    await Promise.all(
      clients.map(async ({ process, locks }) => {
        for (let i = 0; i < 3; i++) {
          await locks.use('k', async (lease) => {
            turns.push(`${process.name} in`);
            await process.sleep(5);
            lease.assertHeld();
            turns.push(`${process.name} out`);
          });
        }
      }),
    );
    // Nobody slept until a ttl was over, or until the safety poll after two seconds.
    expect(stage.world.nowMs - fromMs).toBeLessThan(9 * 5 + 9 * 10 * LATENCY_MS);
  });

  expect(turns).toHaveLength(18);
  for (let i = 0; i < turns.length; i += 2)
    expect(turns[i]?.replace('in', 'out')).toBe(turns[i + 1]);
});

test('a release whose wake-up is lost is found by the safety poll', async () => {
  const stage = new Stage();
  stage.network.rule(({ way }) => (way === 'push' ? 'drop' : 'pass'));

  await stage.world.run(async () => {
    const [a, b] = [await stage.client('a'), await stage.client('b')];
    const lease = await a.locks.acquire('k', { ttlMs: 10_000 });
    const waiting = b.locks.acquire('k');
    await stage.world.advance(100);
    await lease.release();
    const fromMs = stage.world.nowMs;
    await waiting;
    expect(stage.world.nowMs - fromMs).toBeGreaterThan(1_000);
    expect(stage.world.nowMs - fromMs).toBeLessThan(2_200);
  });
});

test('a grant whose reply is lost is released: the key is free long before its ttl is over', async () => {
  const stage = new Stage();

  await stage.world.run(async () => {
    const [a, b] = [await stage.client('a'), await stage.client('b')];
    await (await a.locks.acquire('k')).release();
    stage.network.rule(({ to, way, label }) =>
      to === 'a' && way === 'reply' && label === 'acquire' ? { delayMs: 150 } : 'pass',
    );
    await expect(a.locks.tryAcquire('k')).rejects.toThrow(BackendUnavailableError);
    const fromMs = stage.world.nowMs;
    await b.locks.acquire('k');
    expect(stage.world.nowMs - fromMs).toBeLessThan(TTL_MS / 2);
    expect(stage.holder()).toBe('b');
  });
});

test('a failover loses a lock that was not replicated: two hold it, and the fence tells them apart', async () => {
  const stage = new Stage();
  const replica = new SimRedisServer(stage.world, 'n2');
  const service = new SimRedisService(stage.world, stage.network, {
    name: 'redis',
    master: stage.server,
    replica,
    lagMs: 5,
  });

  await stage.world.run(async () => {
    const [a, b] = [await stage.client('a', service), await stage.client('b', service)];
    const first = await a.locks.acquire('k');
    service.failover();
    await stage.world.advance(1);
    const second = await b.locks.acquire('k');
    first.assertHeld();
    second.assertHeld();
    expect(first.fencingToken).toBeLessThan(second.fencingToken ?? 0n);
  });
});

test('a failover to a replica whose clock is behind gives out a smaller fencing token', async () => {
  const stage = new Stage();
  const replica = new SimRedisServer(stage.world, 'n2', { wallOffsetMs: -10_000 });
  const service = new SimRedisService(stage.world, stage.network, {
    name: 'redis',
    master: stage.server,
    replica,
    lagMs: 5,
  });

  await stage.world.run(async () => {
    const [a, b] = [await stage.client('a', service), await stage.client('b', service)];
    const first = await a.locks.acquire('k');
    service.failover();
    await stage.world.advance(1);
    const second = await b.locks.acquire('k');
    expect(second.fencingToken).toBeLessThan(first.fencingToken ?? 0n);
  });
});

test.each([
  ['restart without its data', (server: SimRedisServer) => server.restart({ data: 'empty' })],
  ['clock that jumps ahead', (server: SimRedisServer) => server.jumpWall(2 * TTL_MS)],
  ['power loss', (server: SimRedisServer) => server.restart({ data: 'torn', lost: 2 })],
] as const)('a server with a %s grants a held lock to another client', async (_what, injection) => {
  const stage = new Stage();

  await stage.world.run(async () => {
    const [a, b] = [await stage.client('a'), await stage.client('b')];
    const first = await a.locks.acquire('k', { renew: false });
    injection(stage.server);
    await b.locks.acquire('k', { waitMs: TTL_MS / 2 });
    first.assertHeld();
    expect(stage.holder()).toBe('b');
  });
});

test('a server that restarts with its data keeps a lock, and its holder goes on renewing it', async () => {
  const stage = new Stage();

  await stage.world.run(async () => {
    const [a, b] = [await stage.client('a'), await stage.client('b')];
    const lease = await a.locks.acquire('k');
    stage.server.restart({ data: 'durable', downMs: 100 });
    await expect(b.locks.acquire('k', { waitMs: 5 * TTL_MS })).rejects.toThrow(LockTimeoutError);
    lease.assertHeld();
  });
});

test('a holder that is cut off loses the lock by its own clock before anybody else gets it', async () => {
  const stage = new Stage();

  await stage.world.run(async () => {
    const [a, b] = [await stage.client('a'), await stage.client('b')];
    const lease = await a.locks.acquire('k');
    stage.network.cut(a.process, stage.server);
    await b.locks.acquire('k', { waitMs: 3 * TTL_MS });
    expect(() => lease.assertHeld()).toThrow(LockLostError);
    expect(stage.events).toMatchObject([{ type: 'lost' }]);
  });
});

async function hash(options: WorldOptions): Promise<string> {
  const stage = new Stage({ guard: false, seed: 7, ...options });
  await stage.world.run(async () => {
    const clients = await Promise.all(['a', 'b'].map((name) => stage.client(name)));
    stage.server.anchor('after', 'acquire', 2, () => stage.server.stop(300));
    stage.network.rule(({ way, label, n }) =>
      way === 'reply' && label === 'release' && n === 1 ? 'reset' : 'pass',
    );
    await Promise.all(
      clients.map(async ({ process, locks }) => {
        for (let i = 0; i < 2; i++) await locks.use('k', () => process.sleep(5));
      }),
    );
  });
  return stage.world.trace.hash();
}

describe('one trace hash', () => {
  const RUNS = runs(400);

  test(`over ${RUNS} runs on both drivers, with other work on the thread`, async () => {
    const noise = setInterval(() => Math.random(), 1);
    const hashes = new Set<string>();
    for (let run = 0; run < RUNS; run++) {
      const driver = run % 4 === 3 ? channelDriver : immediateDriver;
      const both =
        run % 10 === 0 ? [hash({ driver }), hash({ driver: channelDriver })] : [hash({ driver })];
      for (const each of await Promise.all(both)) hashes.add(each);
    }
    clearInterval(noise);

    expect([...hashes]).toHaveLength(1);
  });

  test('and another one for another seed', async () => {
    expect(await hash({ seed: 7 })).not.toBe(await hash({ seed: 8 }));
  });
});
