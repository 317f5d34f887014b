import { NodeDoubt } from '@holdfast/redis/port';
import { expect, test } from 'vitest';
import {
  type RedisAddress,
  SimRedisServer,
  type SimRedisServerOptions,
  SimRedisService,
} from '../../src/simulator/index.ts';
import { type Client, failure, LATENCY_MS, RedisWorld } from './support/redis-world.ts';

const SET = ['SET', 'k', 'v', 'PX', '1000'] as const;
const RELEASE = "redis.call('DEL', KEYS[1]) return redis.call('PUBLISH', ARGV[1], 'free')";

class PairWorld extends RedisWorld {
  readonly replica: SimRedisServer;
  readonly service: SimRedisService;

  constructor(options: { lagMs?: number; replica?: SimRedisServerOptions } = {}) {
    super();
    this.replica = new SimRedisServer(this.world, 'n2', options.replica);
    this.service = new SimRedisService(this.world, this.network, {
      name: 'redis',
      master: this.server,
      replica: this.replica,
      ...(options.lagMs === undefined ? {} : { lagMs: options.lagMs }),
    });
  }

  override client(name: string, address: RedisAddress = this.service): Client {
    return super.client(name, address);
  }
}

test('a write reaches the replica a lag and a latency later, and expires there by its own clock', async () => {
  const sim = new PairWorld({ lagMs: 50, replica: { wallOffsetMs: 400 } });
  const a = sim.client('a');

  await sim.world.run(async () => {
    await a.command(SET);
    const sinceMs = LATENCY_MS;
    await sim.world.advance(50 + LATENCY_MS - sinceMs - 0.001);
    expect(sim.read('k', sim.replica)).toBeNull();
    await sim.world.advance(0.002);
    expect(sim.read('k', sim.replica)).toBe('v');
    await sim.world.advance(560);
    expect([sim.read('k'), sim.read('k', sim.replica)]).toEqual(['v', null]);
  });
});

test('a replica rejects writes', () => {
  const sim = new PairWorld();

  expect(sim.replica.engine.execute(SET)).toMatchObject({
    error: expect.stringMatching(/^READONLY/),
  });
});

test('a failover right after the reply to a write loses the write', async () => {
  const sim = new PairWorld();
  const a = sim.client('a');
  sim.server.anchor('after', 'SET', 2, () => sim.service.failover());

  const [doubt, keys] = await sim.world.run(async () => {
    await a.command(['SET', 'one', '1']);
    const error = await failure(a.command(['SET', 'two', '2']));
    await sim.world.advance(2_000);
    return [error, await a.command(['MGET', 'one', 'two'])];
  });

  expect(doubt).toBeInstanceOf(NodeDoubt);
  expect(keys).toEqual(['1', null]);
  expect(sim.service.master).toBe(sim.replica);
});

test('until the replica is promoted no client is served', async () => {
  const sim = new PairWorld();
  const a = sim.client('a');

  await sim.world.run(async () => {
    await a.command(SET);
    sim.service.failover({ afterMs: 500 });
    await sim.world.advance(400);
    expect(await failure(a.command(['GET', 'k']))).toMatchObject({ name: 'NodeUnavailable' });
    await sim.world.advance(1_500);
    expect(await a.command(['SET', 'new', '1'])).toBe('OK');
  });
});

test('in a split brain some clients stay with the old master; after the heal its writes are gone', async () => {
  const sim = new PairWorld();
  const [a, b] = [sim.client('a'), sim.client('b')];

  await sim.world.run(async () => {
    await Promise.all([a.command(['PING']), b.command(['PING'])]);
    const heal = sim.service.splitBrain({ staysWithOld: [a.process] });
    await sim.world.advance(100);
    expect(await a.command(['SET', 'k', 'old', 'NX'])).toBe('OK');
    expect(await b.command(['SET', 'k', 'new', 'NX'])).toBe('OK');
    heal();
    await sim.world.advance(100);
    expect(await a.command(['GET', 'k'])).toBe('new');
    expect(sim.read('k')).toBe('new');
    await a.command(['SET', 'k', 'after']);
    await sim.world.advance(10);
    expect(sim.read('k')).toBe('after');
  });
});

test('a subscriber at a replica receives publications of its master, a lag and a latency later', async () => {
  const sim = new PairWorld({ lagMs: 50 });
  const listener = sim.client('a', sim.replica);
  const publisher = sim.client('b');
  const heardAtMs: number[] = [];

  await sim.world.run(async () => {
    await listener.node.subscribe('channel', () => heardAtMs.push(sim.world.nowMs));
    await publisher.command(SET);
    const askedAtMs = sim.world.nowMs;
    expect(await publisher.command(['PUBLISH', 'channel', 'one'])).toBe(0);
    await sim.world.advance(100);
    expect(heardAtMs).toEqual([askedAtMs + LATENCY_MS + 50 + LATENCY_MS + LATENCY_MS]);
    expect(await publisher.command(['EVAL', RELEASE, '1', 'k', 'channel'])).toBe(0);
    await sim.world.advance(100);
  });

  expect(heardAtMs).toHaveLength(2);
  expect(sim.read('k', sim.replica)).toBeNull();
});

test('a replica that restarts copies the master’s data', async () => {
  const sim = new PairWorld();
  const a = sim.client('a');

  await sim.world.run(async () => {
    sim.replica.restart({ data: 'empty', downMs: 100 });
    await a.command(SET);
    await sim.world.advance(50);
    await sim.world.advance(100);
    expect(sim.read('k', sim.replica)).toBe('v');
  });
});

test('a master that comes back empty empties its replica', async () => {
  const sim = new PairWorld();
  const a = sim.client('a');

  await sim.world.run(async () => {
    await a.command(SET);
    await sim.world.advance(10);
    expect(sim.read('k', sim.replica)).toBe('v');
    sim.server.restart({ data: 'empty' });
    await sim.world.advance(10);
    expect(sim.read('k', sim.replica)).toBeNull();
  });
});

test('while the servers are cut from each other nothing is replicated; afterwards all of it is', async () => {
  const sim = new PairWorld();
  const a = sim.client('a');

  await sim.world.run(async () => {
    const heal = sim.network.cut(sim.server, sim.replica);
    await a.command(SET);
    await sim.world.advance(100);
    expect(sim.read('k', sim.replica)).toBeNull();
    heal();
    await sim.world.advance(LATENCY_MS);
    expect(sim.read('k', sim.replica)).toBe('v');
  });
});

test('writes that a dead master had not sent never reach the replica, however late it is promoted', async () => {
  const sim = new PairWorld({ lagMs: 5 });
  const a = sim.client('a');

  await sim.world.run(async () => {
    await a.command(SET);
    sim.service.failover({ afterMs: 500 });
    await sim.world.advance(600);
    expect(sim.read('k', sim.replica)).toBeNull();
  });
});

test('writes that the old master of a split brain had not sent by then never reach the new one', async () => {
  const sim = new PairWorld({ lagMs: 5 });
  const a = sim.client('a');

  await sim.world.run(async () => {
    await a.command(SET);
    sim.service.splitBrain({ staysWithOld: [a.process] });
    await a.command(['SET', 'later', '1']);
    await sim.world.advance(100);
    expect(['k', 'later'].map((key) => sim.read(key, sim.replica))).toEqual([null, null]);
  });
});

test('an address that is re-pointed resets its connections and leads elsewhere, until it is pointed back', async () => {
  const sim = new PairWorld();
  const other = new SimRedisServer(sim.world, 'n3');
  const elsewhere = new SimRedisService(sim.world, sim.network, { name: 'other', master: other });
  const a = sim.client('a');
  const b = sim.client('b', elsewhere);

  await sim.world.run(async () => {
    await a.command(SET);
    await b.command(['SET', 'k', 'theirs', 'PX', '1000']);
    const pointBack = sim.service.leadTo(elsewhere);
    await sim.world.advance(4 * LATENCY_MS);
    expect(await a.command(['GET', 'k'])).toBe('theirs');
    pointBack();
    await sim.world.advance(4 * LATENCY_MS);
    expect(await a.command(['GET', 'k'])).toBe('v');
    expect(await b.command(['GET', 'k'])).toBe('theirs');
  });
});

test('an address that is pointed elsewhere meanwhile is not pointed back', async () => {
  const sim = new PairWorld();
  const [one, two] = ['n3', 'n4'].map((name) => {
    const master = new SimRedisServer(sim.world, name);
    return new SimRedisService(sim.world, sim.network, { name: `address of ${name}`, master });
  });
  const { process } = sim.client('a');
  if (one === undefined || two === undefined) throw new Error('no such service');

  const pointBack = sim.service.leadTo(one);
  sim.service.leadTo(two);
  pointBack();

  expect(sim.service.serverFor(process)).toBe(two.master);
});
