import { type LockEvent, type Locks } from '@holdfast/core';
import { createHost, createLocks } from '@holdfast/core/backend';
import {
  Network,
  type SimProcess,
  SimRedisServer,
  simRedisNode,
  World,
} from '@holdfast/harness/simulator';
import { expect, test } from 'vitest';
import { openRedisSimple } from '../../src/index.ts';

const TTL_MS = 1_000;
const lockOf = (key: string): string => `holdfast:v1:{${key}}:lock`;

interface Client {
  readonly process: SimProcess;
  readonly locks: Locks;
  readonly events: LockEvent[];
}

class Stage {
  readonly world = new World({ guard: true });
  readonly network = new Network(this.world, { latencyMs: 1 });
  readonly server = new SimRedisServer(this.world, 'n1');
  /** The labels of the requests that reached the server's network, by client. */
  readonly sent: string[] = [];

  async client(name: string): Promise<Client> {
    const process = this.world.process(name);
    const node = simRedisNode(process, this.server, this.network);
    const host = createHost({ runtime: process.runtime, label: name });
    const events: LockEvent[] = [];
    for (const type of ['acquired', 'released', 'lost', 'contended', 'orphan'] as const)
      host.on(type, (event) => events.push(event));
    const backend = await openRedisSimple({ node }, host);
    return { process, locks: createLocks(backend, host, { ttlMs: TTL_MS }), events };
  }

  record(): void {
    this.network.rule(({ way, label }) => {
      if (way === 'request') this.sent.push(label);
      return 'pass';
    });
  }

  stored(key: string): unknown {
    return this.server.engine.execute(['GET', lockOf(key)]);
  }
}

test('several keys are acquired by one script, in one round trip, and each has its own token', async () => {
  const stage = new Stage();

  await stage.world.run(async () => {
    const { locks, process, events } = await stage.client('a');
    stage.record();
    const fromMs = process.nowMs;
    const lease = await locks.acquire(['c', 'a', 'b']);

    expect(process.nowMs - fromMs).toBe(2);
    expect(stage.sent).toEqual(['acquire-all']);
    const owners = ['a', 'b', 'c'].map((key) => stage.stored(key));
    expect(new Set(owners).size).toBe(1);
    expect(owners[0]).toMatch(/^[^:]+:1:a$/);
    expect([...lease.fencingTokens.keys()]).toEqual(['a', 'b', 'c']);
    await process.sleep(5 * TTL_MS);
    expect(lease.state).toBe('held');
    expect(await lease.release()).toEqual({ kind: 'released' });
    expect(['a', 'b', 'c'].map((key) => stage.stored(key))).toEqual([null, null, null]);
    const types = events.map(({ type }) => type);
    expect(types.slice(0, 3)).toEqual(['acquired', 'acquired', 'acquired']);
    expect(types.slice(3)).toEqual(['released', 'released', 'released']);
  });
});

test('a key that is taken keeps all free, and its release wakes the waiter', async () => {
  const stage = new Stage();

  await stage.world.run(async () => {
    const [a, b] = [await stage.client('a'), await stage.client('b')];
    const other = await b.locks.acquire('b', { ttlMs: 60_000 });
    const waiting = a.locks.acquire(['a', 'b', 'c']);
    await stage.world.advance(700);
    expect([stage.stored('a'), stage.stored('c')]).toEqual([null, null]);
    expect(a.events).toMatchObject([{ type: 'contended', key: 'b' }]);

    const fromMs = stage.world.nowMs;
    await other.release();
    const lease = await waiting;
    expect(stage.world.nowMs - fromMs).toBeLessThan(10);
    const error: unknown = await b.locks
      .acquire(['a', 'z'], { waitMs: 0 })
      .catch((e: unknown) => e);
    expect(error).toMatchObject({ code: 'LOCK_TIMEOUT', key: 'a' });
    expect(await b.locks.tryAcquire('c')).toBeNull();
    await lease.release();
  });
});

test('each wait is woken by the key that it is stuck at, one after the other', async () => {
  const stage = new Stage();

  await stage.world.run(async () => {
    const [a, b] = [await stage.client('a'), await stage.client('b')];
    const first = await b.locks.acquire('a', { ttlMs: 60_000 });
    const second = await b.locks.acquire('b', { ttlMs: 60_000 });
    const waiting = a.locks.acquire(['a', 'b']);
    await stage.world.advance(100);
    await first.release();
    await stage.world.advance(100);
    const fromMs = stage.world.nowMs;
    await second.release();
    await (await waiting).release();
    expect(stage.world.nowMs - fromMs).toBeLessThan(10);
  });
});

test('a reply that is lost is undone for every key', async () => {
  const stage = new Stage();

  await stage.world.run(async () => {
    const [a, b] = [await stage.client('a'), await stage.client('b')];
    stage.network.rule(({ to, way, label }) =>
      to === 'a' && way === 'reply' && label === 'acquire-all' ? { delayMs: 150 } : 'pass',
    );
    const error: unknown = await a.locks.tryAcquire(['a', 'b']).catch((e: unknown) => e);
    expect(error).toMatchObject({ code: 'BACKEND_UNAVAILABLE' });
    await stage.world.advance(20);
    expect([stage.stored('a'), stage.stored('b')]).toEqual([null, null]);
    await (await b.locks.acquire(['a', 'b'])).release();
  });
});

test('a wait that is aborted releases what a late reply still grants', async () => {
  const stage = new Stage();

  await stage.world.run(async () => {
    const a = await stage.client('a');
    const controller = new AbortController();
    const waiting = a.locks
      .acquire(['a', 'b'], { signal: controller.signal })
      .catch((e: unknown) => e);
    controller.abort('no longer wanted');
    expect(await waiting).toBe('no longer wanted');
    // Behind the wait that is still ending, the next one gets its turn.
    await (await a.locks.acquire(['b', 'c'])).release();
    expect(stage.stored('a')).toBeNull();
  });
});

test('callers of one process take turns in their local queues, and single keys with them', async () => {
  const stage = new Stage();
  let inside = 0;

  await stage.world.run(async () => {
    const clients = [await stage.client('a'), await stage.client('b')];
    const sets = [['a', 'b'], ['b', 'a'], ['b', 'c'], ['c', 'a', 'b'], ['b']];
    const calls = clients.flatMap(({ locks, process }) =>
      sets.map(async (keys) => {
        for (let round = 0; round < 5; round++) {
          // Every set has b.
          const lease = await locks.acquire(keys.length === 1 ? ['b'] : keys, { waitMs: 60_000 });
          expect(++inside).toBe(1);
          await process.sleep(3);
          inside--;
          await lease.release();
        }
      }),
    );
    await Promise.all(calls);
    for (const key of ['a', 'b', 'c']) expect(stage.stored(key)).toBeNull();
  });
});

test('a foreign value under one key refuses all, and names it', async () => {
  const stage = new Stage();

  await stage.world.run(async () => {
    const { locks } = await stage.client('a');
    stage.server.engine.execute(['SET', lockOf('b'), 'mine']);
    const error: unknown = await locks.acquire(['a', 'b']).catch((e: unknown) => e);

    expect(error).toMatchObject({ code: 'FOREIGN_KEY', key: 'b' });
    expect(stage.stored('a')).toBeNull();
  });
});

test('close ends a wait for several keys, and nothing of it is left', async () => {
  const stage = new Stage();

  await stage.world.run(async () => {
    const [a, b] = [await stage.client('a'), await stage.client('b')];
    const other = await b.locks.acquire('b', { ttlMs: 60_000 });
    const waits = [a.locks.acquire(['a', 'b']), a.locks.acquire(['a', 'c']), a.locks.acquire('a')];
    const errors = Promise.all(waits.map((wait) => wait.catch((error: unknown) => error)));
    await stage.world.advance(100);
    expect(await a.locks.close()).toEqual({ stillHeld: [] });

    for (const error of await errors) expect(error).toMatchObject({ code: 'CLOSED' });
    expect(stage.stored('a')).toBeNull();
    await other.release();
  });
});

test('a waiter behind it in a local queue reports what it knows: the store is down, or the key is locked', async () => {
  const stage = new Stage();

  await stage.world.run(async () => {
    const [a, b] = [await stage.client('a'), await stage.client('b')];
    await b.locks.acquire('b', { ttlMs: 60_000 });
    const errorOf = (keys: string[], waitMs: number): Promise<unknown> =>
      a.locks.acquire(keys, { waitMs }).catch((error: unknown) => error);
    const busy = [errorOf(['a', 'b'], 1_000), errorOf(['a', 'c'], 500)];
    expect(await a.locks.tryAcquire('a')).toBeNull();
    expect(await Promise.all(busy)).toMatchObject([
      { code: 'LOCK_TIMEOUT', key: 'b' },
      { code: 'LOCK_TIMEOUT', key: 'a', holderRemainingMs: undefined },
    ]);

    stage.network.rule(() => 'drop');
    const down = [errorOf(['a', 'b'], 2_000), errorOf(['a', 'c'], 1_500)];
    for (const error of await Promise.all(down))
      expect(error).not.toMatchObject({ code: 'LOCK_TIMEOUT' });
  });
});

test('keepMs keeps all keys that one script took, and a dropped handle leaks all', async () => {
  const stage = new Stage();

  await stage.world.run(async () => {
    const [a, b] = [await stage.client('a'), await stage.client('b')];
    await a.locks.tryUse(['a', 'b'], () => undefined, { keepMs: 5_000 });
    await stage.world.advance(4_900);
    for (const key of ['a', 'b']) expect(await b.locks.tryAcquire(key)).toBeNull();
    await stage.world.advance(200);
    const lease = await a.locks.acquire(['a', 'b']);
    a.process.collect(lease);
    await stage.world.advance(2 * TTL_MS);
    expect(a.events.filter(({ type }) => type === 'lost')).toMatchObject([
      { key: 'a', reason: 'leaked' },
      { key: 'b', reason: 'leaked' },
    ]);
    await (await b.locks.acquire(['a', 'b'])).release();
  });
});
