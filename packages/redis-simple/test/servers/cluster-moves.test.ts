import { type Backend, type Contender, systemRuntime } from '@holdfast/core/backend';
import { NodeReplyError } from '@holdfast/redis/port';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Proxy, type RedisClusterNode } from '../../../../harness/test/kit/real-servers.ts';
import {
  attempt,
  contend,
  type Held,
  LONG_MS,
  lockOf,
  take,
  until,
} from '../../../../test/support/contending.ts';
import { ClusterWorld } from './support/cluster-world.ts';

const LIBRARIES = ['ioredis', 'redis'] as const;
const runtime = systemRuntime();

let world: ClusterWorld;
beforeAll(async () => {
  world = await ClusterWorld.start({ replicas: 0 });
});
afterAll(() => world.close());

/** Moves the slot of a key to another master. */
async function move(
  key: string,
  whileMoving?: (from: RedisClusterNode) => Promise<void>,
): Promise<RedisClusterNode> {
  const to = await world.otherThan(key);
  await world.cluster.moveSlot(await world.slotOf(key), to, whileMoving);
  return to;
}

/** Waits for a key that is taken; resolves once no release can be missed. */
async function waiting(contender: Contender): Promise<{ readonly changed: Promise<void> }> {
  const { signal } = new AbortController();
  await attempt(contender);
  // Resolves once the subscription is live.
  await contender.changed?.(signal);
  await attempt(contender);
  return { changed: contender.changed?.(signal) ?? Promise.resolve() };
}

/** The grant of the first attempt. */
async function granted(contender: Contender): Promise<Held> {
  const outcome = await attempt(contender);
  expect(outcome).toMatchObject({ kind: 'granted' });
  if (outcome.kind !== 'granted') throw new Error(outcome.kind);
  return outcome.grant as Held;
}

describe.each(LIBRARIES)('through %s', (library) => {
  let backend: Backend;
  beforeAll(async () => {
    backend = await world.open({ source: world.cluster.url, library });
  });

  test('a lease outlives the move of its slot, which takes longer than its ttl, and nobody else gets the key', async () => {
    const [held = '', ...free] = await world.keysOfOneSlot(`held/${library}/`, 2);
    const ttlMs = 800;
    const grant = await take(backend, held, ttlMs);
    const end = new AbortController();
    const outcomes: string[] = [];
    const contending = [held, ...free].map(async (key) => {
      while (!end.signal.aborted) {
        const outcome = await attempt(contend(backend, key));
        outcomes.push(`${key === held ? 'held' : 'free'} ${outcome.kind}`);
        if (outcome.kind === 'granted') await outcome.grant.release();
        await new Promise((next) => setTimeout(next, 5));
      }
    });
    const renewals: string[] = [];
    const renewing = (async () => {
      while (!end.signal.aborted) {
        renewals.push((await grant.renew(ttlMs)).kind);
        await new Promise((next) => setTimeout(next, 50));
      }
    })();

    const to = await move(held, () => new Promise((moved) => setTimeout(moved, 1.5 * ttlMs)));
    end.abort();
    await Promise.all([...contending, renewing]);

    expect(await to.ask('GET', lockOf(held))).toBe(grant.owner);
    // On a busy machine a reply may be late; what counts is that it is not refused for as long as the slot moves.
    expect(renewals).not.toContain('lost');
    expect(outcomes).toContain('free granted');
    expect(outcomes).not.toContain('held granted');
    expect(await grant.release()).toEqual({ kind: 'released' });
    expect(await (await take(backend, held)).release()).toEqual({ kind: 'released' });
  });

  test('a free key cannot be taken while its slot moves, but is not in doubt; then it can', async () => {
    const key = `window/${library}`;
    await move(key, async () => {
      const outcome = await attempt(contend(backend, key));
      expect(outcome).toMatchObject({ kind: 'unavailable', cause: { code: 'TRYAGAIN' } });
    });
    const grant = await take(backend, key);
    await grant.release();
    // The fence alone is left at the source: it has one of the two keys, and cannot send the call on.
    await move(key, async () => {
      const outcome = await attempt(contend(backend, key));
      if (outcome.kind !== 'unavailable') throw new Error(outcome.kind);
      expect((outcome.cause as NodeReplyError).code).toBe('TRYAGAIN');
    });
    const later = await take(backend, key);
    expect(later.fencingToken).toBeGreaterThan(grant.fencingToken);
    await later.release();
  });

  test('a lease is handed over while its slot moves, before and after its key has', async () => {
    const key = `handed/${library}`;
    const adopt = (exported: string): Contender => {
      const contender = backend.adopt?.({
        key,
        contender: runtime.randomId(),
        ttlMs: LONG_MS,
        exported,
      });
      if (contender === undefined) throw new Error('it adopts nothing');
      return contender;
    };
    const exporter = await take(backend, key, LONG_MS);
    const to = await world.otherThan(key);
    const slot = await world.slotOf(key);
    await world.cluster.moveSlot(slot, to, async (from) => {
      const before = await granted(adopt(exporter.export()));
      expect(await from.ask('GET', lockOf(key))).toBe(before.owner);

      await world.cluster.migrateKeys(slot, from, to);
      const after = await granted(adopt(before.export()));
      expect(after.fencingToken).toBeGreaterThan(before.fencingToken);
      expect(await exporter.renew(LONG_MS)).toEqual({ kind: 'lost' });
      expect(await attempt(adopt(before.export()))).toMatchObject({ kind: 'refused' });
      expect(await after.release()).toEqual({ kind: 'released' });
    });
  });

  test('a key that has moved ahead of its slot is renewed, and released, where it is', async () => {
    const key = `asked/${library}`;
    const grant = await take(backend, key);
    const other = await take(backend, `${key}/other`);
    const to = await world.otherThan(key);
    const slot = await world.slotOf(key);
    await world.cluster.moveSlot(slot, to, async (from) => {
      await world.cluster.migrateKeys(slot, from, to);
      // Many at once on one connection: ASKING counts for the very next command alone.
      const others = Array.from({ length: 20 }, () => other.renew(LONG_MS));
      const renewals = await Promise.all([grant.renew(LONG_MS), ...others, grant.renew(LONG_MS)]);
      expect(new Set(renewals.map(({ kind }) => kind))).toEqual(new Set(['renewed']));
      expect(await grant.release()).toEqual({ kind: 'released' });
      expect(await grant.release()).toEqual({ kind: 'not-held' });
    });
    await other.release();
  });

  test('the move of its slot wakes a waiter, who then hears of the release at the new owner', async () => {
    const key = `heard/${library}`;
    const holder = await take(backend, key, LONG_MS);
    const waiter = contend(backend, key);
    const { changed } = await waiting(waiter);

    const to = await move(key);
    await changed;
    const shards = (): Promise<string> => to.read('PUBSUB', 'SHARDCHANNELS');
    await until(async () => (await shards()).includes(`{${key}}:channel`));
    // Once the gap has been told, and seen.
    await new Promise((told) => setTimeout(told, 50));
    expect(await attempt(waiter)).toMatchObject({ kind: 'busy' });
    const released = waiter.changed?.(new AbortController().signal);
    const from = runtime.now();
    await holder.release();
    await released;

    expect(await attempt(waiter)).toMatchObject({ kind: 'granted' });
    // The safety poll would take two seconds.
    expect(runtime.elapsedMs(from)).toBeLessThan(1_000);
    await backend.forceRelease?.(key);
  });

  test('waiters of other slots are not disturbed by a move', async () => {
    const key = `calm/${library}`;
    const calm = await world.keysOnOneMaster(key, 2);
    const [moved = '', still = ''] = calm;
    const holders = await Promise.all(calm.map((each) => take(backend, each, LONG_MS)));
    const gone = await waiting(contend(backend, moved));
    const stays = await waiting(contend(backend, still));
    let wasDisturbed = false;
    void stays.changed.then(() => (wasDisturbed = true));

    await move(moved);
    await gone.changed;
    await new Promise((passed) => setTimeout(passed, 50));
    expect(wasDisturbed).toBe(false);
    await Promise.all(holders.map((holder) => holder.release()));
    await stays.changed;
  });
});

describe.each(LIBRARIES)('an attempt without a reply, through %s', (library) => {
  const proxies: Proxy[] = [];
  const natMap: Record<string, { host: string; port: number }> = {};
  let backend: Backend;
  beforeAll(async () => {
    for (const { server, address } of world.cluster.masters) {
      const proxy = await Proxy.start(server.port);
      proxies.push(proxy);
      natMap[address] = { host: '127.0.0.1', port: proxy.port };
    }
    const source = world.cluster.url.replaceAll(
      /127\.0\.0\.1:\d+/g,
      (real) => `127.0.0.1:${natMap[real]?.port}`,
    );
    backend = await world.open({ source, library, natMap });
  });
  afterAll(async () => {
    await backend.close();
    await Promise.all(proxies.splice(0).map((proxy) => proxy.close()));
  });

  async function proxyOf(key: string): Promise<Proxy> {
    const at = world.cluster.masters.indexOf(await world.masterOf(key));
    const proxy = proxies[at];
    if (proxy === undefined) throw new Error('no proxy');
    return proxy;
  }

  /** Connects, so that what follows is on an open connection. */
  async function warm(key: string): Promise<void> {
    await (await take(backend, key)).release();
  }

  test('is undone where its value has moved to', async () => {
    const key = `undone/${library}`;
    await warm(key);
    const master = await world.masterOf(key);
    const proxy = await proxyOf(key);
    const contender = contend(backend, key, 5_000);
    proxy.cut('down');
    const attempting = attempt(contender);
    await until(async () => (await master.ask('GET', lockOf(key))) !== null);
    proxy.cut('up');
    expect(await attempting).toMatchObject({ kind: 'unknown', cause: { undo: 'ordered' } });

    const to = await move(key);
    expect(await to.ask('GET', lockOf(key))).not.toBeNull();
    const withdrawing = contender.withdraw();
    proxy.heal();

    // Clean only because the new owner has executed the undo.
    expect(await withdrawing).toEqual({ kind: 'clean' });
    expect(await to.ask('GET', lockOf(key))).toBeNull();
  });

  test('is undone at the target of a slot that is on its way, also if it was sent there', async () => {
    const key = `asking/${library}`;
    await warm(key);
    const to = await world.otherThan(key);
    const toProxy = proxies[world.cluster.masters.indexOf(to)];
    const slot = await world.slotOf(key);
    const held = await take(backend, key, LONG_MS);
    await world.cluster.moveSlot(slot, to, async (from) => {
      await world.cluster.migrateKeys(slot, from, to);
      // A contender with the fence and no lock at the target would get TRYAGAIN; this one finds a lock, and is busy.
      const contender = contend(backend, key, 3_000);
      expect(await attempt(contender)).toMatchObject({ kind: 'busy' });
      toProxy?.cut('down');
      expect(await attempt(contender)).toMatchObject({
        kind: 'unknown',
        cause: { undo: 'ordered' },
      });
      const withdrawing = contender.withdraw();
      toProxy?.heal();
      expect(await withdrawing).toEqual({ kind: 'clean' });
    });
    expect(await held.release()).toEqual({ kind: 'released' });
  });

  test('that never arrived cannot be applied later, because its slot has moved', async () => {
    const key = `late/${library}`;
    await warm(key);
    const proxy = await proxyOf(key);
    const contender = contend(backend, key, 5_000);
    proxy.cut('up');
    expect(await attempt(contender)).toMatchObject({ kind: 'unknown', cause: { undo: 'ordered' } });

    const to = await move(key);
    const withdrawing = contender.withdraw();
    proxy.heal();

    expect(await withdrawing).toEqual({ kind: 'clean' });
    expect(await to.ask('GET', lockOf(key))).toBeNull();
    await (await take(backend, key)).release();
  });
});
