import { type Backend, systemRuntime } from '@holdfast/core/backend';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  attempt,
  contend,
  type Held,
  LONG_MS,
  lockOf,
  take,
  until,
  won,
} from '../../../../test/support/contending.ts';
import { ClusterWorld } from './support/cluster-world.ts';

const runtime = systemRuntime();

let world: ClusterWorld;
let backends: readonly Backend[];
beforeAll(async () => {
  world = await ClusterWorld.start();
  const source = world.cluster.url;
  backends = await Promise.all([
    world.open({ source, library: 'ioredis' }),
    world.open({ source, library: 'redis' }),
  ]);
});
afterAll(() => world.close());

/** For each backend a lease on one master, and a waiter for it. */
async function heldAndAwaited(prefix: string): Promise<{
  readonly keys: readonly string[];
  readonly held: readonly Held[];
  readonly waiting: readonly Promise<number>[];
}> {
  const keys = await world.keysOnOneMaster(prefix, 2);
  const held = await Promise.all(backends.map((on, at) => take(on, keys[at] ?? '', LONG_MS)));
  const { signal } = new AbortController();
  const waiting = backends.map(async (on, at) => {
    const waiter = contend(on, keys[at] ?? '', LONG_MS);
    for (;;) {
      const outcome = await attempt(waiter);
      const atMs = runtime.now().monotonicMs;
      if (outcome.kind === 'granted') return atMs;
      if (outcome.kind === 'busy') await waiter.changed?.(signal);
      else await new Promise((next) => setTimeout(next, 50));
    }
  });
  return { keys, held, waiting };
}

async function handOver({
  keys,
  held,
  waiting,
}: Awaited<ReturnType<typeof heldAndAwaited>>): Promise<void> {
  const fromMs = runtime.now().monotonicMs;
  for (const grant of held) expect(await grant.release()).toEqual({ kind: 'released' });
  for (const each of waiting) {
    const grantedMs = await each;
    expect(grantedMs).toBeGreaterThanOrEqual(fromMs);
    // The safety poll would take two seconds.
    expect(grantedMs - fromMs).toBeLessThan(1_000);
  }
  for (const key of keys) await backends[0]?.forceRelease?.(key);
}

test('a planned failover moves leases and waiters to the promoted replica', async () => {
  const all = await heldAndAwaited('planned');
  const old = await world.masterOf(all.keys[0] ?? '');
  const replica = await world.cluster.replicaOf(old);

  await replica.ask('CLUSTER', 'FAILOVER');
  await until(async () => (await replica.read('ROLE')).startsWith('master'));
  await until(async () => (await old.read('ROLE')).startsWith('slave'));

  for (const grant of all.held)
    expect(await grant.renew(LONG_MS)).toMatchObject({ kind: 'renewed' });
  expect(await replica.ask('GET', lockOf(all.keys[0] ?? ''))).toBe(all.held[0]?.owner);
  await handOver(all);
});

test.each(['ioredis', 'redis'] as const)(
  'with waitReplicas a grant counts once a replica of its own master has it, through %s',
  async (library) => {
    const source = world.cluster.url;
    const one = await world.open({ source, library, waitReplicas: 1 });
    for (const key of await world.keysOnEachMaster(`acknowledged/${library}`)) {
      const grant = await take(one, key, LONG_MS);
      expect(await grant.renew(LONG_MS)).toMatchObject({ kind: 'renewed' });
      expect(await grant.release()).toEqual({ kind: 'released' });
    }
    const two = await world.open({ source, library, waitReplicas: 2 });
    expect((await attempt(contend(two, 'too-few', 1_000))).kind).not.toBe('granted');
    await until(async () => (await one.inspect?.('too-few'))?.held === false);
  },
);

test('when a master is killed its slots are unavailable until its replica is promoted; leases that it had received stay', async () => {
  const idle = await world.open();
  const all = await heldAndAwaited('killed');
  const old = await world.masterOf(all.keys[0] ?? '');
  // Received by the replica, or the failover would lose them.
  expect(Number(await old.ask('WAIT', '1', '5000'))).toBe(1);
  const from = runtime.now();
  await old.server.end();

  const outcomes = new Set<string>();
  for (const grant of all.held) {
    await until(async () => {
      const { kind } = await grant.renew(LONG_MS);
      outcomes.add(kind);
      return kind === 'renewed';
    });
  }
  const outageMs = runtime.elapsedMs(from);
  expect(outcomes).toEqual(new Set(['unknown', 'renewed']));
  // Half a second of silence, an election, and the clients' next look: well below what a caller waits for by default.
  expect(outageMs).toBeLessThan(8_000);
  for (const [at, on] of backends.entries())
    await (await won(contend(on, `${all.keys[at]}/free`))).release();
  await handOver(all);
  // Nothing else has told this one.
  expect(await idle.health?.()).toMatchObject({ ok: true });
});
