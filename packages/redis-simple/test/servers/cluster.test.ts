import { readFileSync } from 'node:fs';
import { type Backend, systemRuntime } from '@holdfast/core/backend';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  attempt,
  contend,
  fenceOf,
  lockOf,
  take,
  until,
} from '../../../../test/support/contending.ts';
import { ClusterWorld, heldKeysOf, WAYS } from './support/cluster-world.ts';

const runtime = systemRuntime();

let world: ClusterWorld;
beforeAll(async () => {
  world = await ClusterWorld.start();
});
afterAll(() => world.close());

const KEYS: readonly string[] = Array.from({ length: 12 }, (_, n) => `orders/${n}`);

test('lock, fence and channel of a key are in one slot, whatever the key contains', async () => {
  const [any] = world.cluster.masters;
  for (const key of ['orders/42', 'a%7Bb', '}{', ' ü€😀', '{x}']) {
    const escaped = key.replaceAll('%', '%25').replaceAll('{', '%7B').replaceAll('}', '%7D');
    const names = ['lock', 'fence', 'channel'].map((name) => `holdfast:v1:{${escaped}}:${name}`);
    const slots = new Set<unknown>();
    for (const name of names) slots.add(await any?.ask('CLUSTER', 'KEYSLOT', name));
    expect(slots.size).toBe(1);
  }
});

/** The redirects that the masters have sent so far. */
async function redirects(): Promise<number> {
  const infos = await Promise.all(
    world.cluster.masters.map((node) => node.read('INFO', 'errorstats')),
  );
  const counts = infos.map((info) => Number(/errorstat_MOVED:count=(\d+)/.exec(info)?.[1] ?? 0));
  return counts.reduce((sum, count) => sum + count, 0);
}

describe.each(WAYS)('a cluster by %s', (way) => {
  let backend: Backend;
  beforeAll(async () => {
    backend = await world.openBy(way);
  });

  test('keeps each lock on the master of its slot, renewed, seen, forced and released there', async () => {
    const grants = await Promise.all(KEYS.map((key) => take(backend, key)));

    const owners = new Set(await Promise.all(KEYS.map((key) => world.masterOf(key))));
    expect(owners.size).toBe(3);
    for (const [at, key] of KEYS.entries()) {
      const master = await world.masterOf(key);
      expect(await master.ask('GET', lockOf(key))).toBe(grants[at]?.owner);
      expect(await master.ask('GET', fenceOf(key))).toBe(`${grants[at]?.fencingToken}`);
    }
    expect(new Set(await heldKeysOf(backend))).toEqual(new Set(KEYS));
    expect(await backend.inspect?.('orders/1')).toMatchObject({ held: true, holder: 'box:1' });
    expect(await attempt(contend(backend, 'orders/1'))).toMatchObject({ kind: 'busy' });
    const renewals = await Promise.all(grants.map((grant) => grant.renew(60_000)));
    expect(new Set(renewals.map(({ kind }) => kind))).toEqual(new Set(['renewed']));
    expect(await backend.forceRelease?.('orders/1')).toEqual({ kind: 'released' });
    expect(await grants[1]?.renew(60_000)).toEqual({ kind: 'lost' });
    const ends = await Promise.all(grants.map((grant) => grant.release()));
    expect(ends.map(({ kind }) => kind).filter((kind) => kind === 'released')).toHaveLength(11);
    expect(await heldKeysOf(backend)).toEqual([]);
  });

  test('wakes a waiter by the shard channel of its slot', async () => {
    const holder = await take(backend, 'woken');
    const waiter = contend(backend, 'woken');
    await attempt(waiter);
    const { signal } = new AbortController();
    // Resolves once the subscription is live.
    await waiter.changed?.(signal);
    await attempt(waiter);
    const channels = await (await world.masterOf('woken')).read('PUBSUB', 'SHARDCHANNELS');
    expect(channels).toContain('{woken}:channel');

    const changed = waiter.changed?.(signal);
    const from = runtime.now();
    await holder.release();
    await changed;

    // The safety poll would take two seconds.
    expect(runtime.elapsedMs(from)).toBeLessThan(1_000);
    await waiter.withdraw();
  });

  test('takes several keys of different slots one by one, and those of one slot in one step', async () => {
    const locks = world.locks(backend);
    await using several = await locks.acquire(KEYS);
    expect(new Set(several.keys)).toEqual(new Set(KEYS));
    expect(new Set(await heldKeysOf(backend))).toEqual(new Set(KEYS));
    await several.release();
    expect(await heldKeysOf(backend)).toEqual([]);

    const ttl = { contender: runtime.randomId(), ttlMs: 10_000 };
    expect(backend.contendAll?.({ keys: KEYS, ...ttl })).toBeUndefined();
    const together = await world.keysOfOneSlot('together/', 2);
    const all = backend.contendAll?.({ keys: together, ...ttl });
    const won = await all?.attempt(Number.MAX_SAFE_INTEGER);
    if (won?.kind !== 'granted') throw new Error(won?.kind);
    expect(await won.grant.release()).toEqual({ kind: 'released' });
  });

  test('has marks, and the health of each master', async () => {
    const deadlineMs = runtime.now().monotonicMs + 2_000;
    await backend.marks?.write('colour', 'blue', deadlineMs);
    expect(await backend.marks?.read('colour', deadlineMs)).toBe('blue');

    const health = await backend.health?.();
    expect(health?.ok).toBe(true);
    const addresses = world.cluster.masters.map(({ address }) => address);
    expect(new Set(health?.nodes?.map(({ node }) => node))).toEqual(new Set(addresses));
  });

  test('a loop of acquire and release over all slots is never redirected once the slots are known', async () => {
    const before = await redirects();
    for (let n = 0; n < 50; n++) await (await take(backend, `loop/${n}`)).release();
    expect(await redirects()).toBe(before);
    await until(async () => (await heldKeysOf(backend)).length === 0);
  });
});

describe.each(['ioredis', 'redis'] as const)(
  'the least-privileged user of the docs, over %s',
  (library) => {
    const page = new URL('../../../../docs/backends/redis-simple.md', import.meta.url);
    const text = readFileSync(page, 'utf8');
    const [, rule = ''] = /^ACL SETUSER (.*)$/m.exec(text) ?? [];
    const [, more = ''] = /^On a cluster, add `([^`]*)`/m.exec(text) ?? [];

    test('can do all that locking takes on a cluster, without a warning, and while a slot moves', async () => {
      const rights = `${rule.replace('<password>', 'secret')} ${more} +scan`.split(/\s+/);
      const { nodes, masters } = world.cluster;
      await Promise.all(nodes.map((node) => node.ask('ACL', 'SETUSER', ...rights)));
      const source = `redis+cluster://locks:secret@${masters.map(({ address }) => address).join(',')}`;
      const events: string[] = [];
      const off = [
        world.host.on('warning', ({ message }) => void events.push(message)),
        world.host.on('node', ({ outcome }) => void events.push(outcome)),
      ];
      const backend = await world.open({ source, library });

      const key = `least/${library}`;
      const holder = await take(backend, key);
      const waiter = contend(backend, key);
      const { signal } = new AbortController();
      await attempt(waiter);
      await waiter.changed?.(signal);
      await attempt(waiter);
      const woken = waiter.changed?.(signal);
      const slot = await world.slotOf(key);
      const to = await world.otherThan(key);
      await world.cluster.moveSlot(slot, to, async (from) => {
        await world.cluster.migrateKeys(slot, from, to);
        expect((await holder.renew(60_000)).kind).toBe('renewed');
      });
      await woken;
      expect(await heldKeysOf(backend)).toEqual([key]);
      expect(await holder.release()).toEqual({ kind: 'released' });
      expect((await backend.health?.())?.ok).toBe(true);
      await waiter.withdraw();

      expect(events).toEqual([]);
      for (const stop of off) stop();
    });

    test('is refused on opening if a command is taken from it, with the line that is missing', async () => {
      const rights = `${rule.replace('<password>', 'secret')} ${more} -del`.split(/\s+/);
      const { nodes, masters } = world.cluster;
      await Promise.all(nodes.map((node) => node.ask('ACL', 'SETUSER', ...rights.with(0, 'few'))));
      const source = `redis+cluster://few:secret@${masters.map(({ address }) => address).join(',')}`;

      await expect(world.open({ source, library })).rejects.toThrow(
        /need: del; add ACL SETUSER <user> \+del$/,
      );
    });
  },
);
