import { isLockError, type Locks } from '@holdfast/core';
import {
  type Backend,
  createHost,
  createLocks,
  MemoryStore,
  openMemory,
  StoreRecord,
  withFencingEpoch,
} from '@holdfast/core/backend';
import { openMoving } from '@holdfast/moving';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { FlowingRuntime } from '../../core/test/kit/flowing-runtime.ts';

const EPOCH = 1n << 53n;
const runtime = new FlowingRuntime();
const host = createHost({ runtime });
const soon = (): number => runtime.nowMs + 1_000;

beforeAll(() => runtime.start());
afterAll(() => runtime.stop());

function newStore(): MemoryStore {
  return new MemoryStore(() => runtime.nowMs);
}

type Change = (backend: Backend) => Partial<Backend>;

async function backendOn(store: MemoryStore, change: Change = () => ({})): Promise<Backend> {
  const backend = await openMemory({ store }, host);
  return { ...backend, ...change(backend) };
}

/** A client of the move, with its own `Locks`. */
async function mover(from: MemoryStore, to: MemoryStore, change?: Change): Promise<Locks> {
  const backend = await openMoving(
    {
      from: { backend: await backendOn(from, change) },
      to: { backend: await backendOn(to, change), fencingEpoch: 1 },
    },
    host,
  );
  return createLocks(backend, host, { ttlMs: 1_000, waitMs: 200 });
}

async function alone(store: MemoryStore, epoch: number): Promise<Locks> {
  const { backend } = withFencingEpoch(await backendOn(store), host, epoch);
  return createLocks(backend, host, { ttlMs: 1_000, waitMs: 200 });
}

async function recordOf(store: MemoryStore): Promise<StoreRecord> {
  const { marks, name } = await backendOn(store);
  if (marks === undefined) throw new Error('memory keeps marks');
  return new StoreRecord(marks, name);
}

test('it excludes clients of the old store and of the new one, and is excluded by them', async () => {
  const [from, to] = [newStore(), newStore()];
  const locks = await mover(from, to);
  const old = await alone(from, 0);
  await locks.use('k', () => {});
  await (await recordOf(to)).flip(1, soon());
  const next = await alone(to, 1);

  await locks.use('k', async () => {
    expect(await old.tryAcquire('k')).toBeNull();
    expect(await next.tryAcquire('k')).toBeNull();
  });
  for (const other of [old, next])
    await other.use('k', async () => expect(await locks.tryAcquire('k')).toBeNull());
  expect(await locks.tryAcquire('k')).not.toBeNull();
});

test('its tokens are those of the old store, and of the new one from the flip on', async () => {
  const [from, to] = [newStore(), newStore()];
  const locks = await mover(from, to);
  const token = (): Promise<bigint | undefined> =>
    locks.use('k', ({ fencingToken }) => fencingToken);

  const before = await token();
  await (await recordOf(to)).flip(1, soon());
  const after = await token();

  expect(before).toBe(1n);
  expect(after).toBe(EPOCH + 2n);
});

test('the first lock is released when the second is not free in time', async () => {
  const [from, to] = [newStore(), newStore()];
  const locks = await mover(from, to);
  await locks.use('k', () => {});
  const [a, b] = [await backendOn(from), await backendOn(to)].map((backend) =>
    createLocks(backend, host),
  );

  for (const [held, other] of [
    [a, b],
    [b, a],
  ]) {
    const lease = await held?.acquire('k');
    expect(await locks.tryAcquire('k')).toBeNull();
    const free = await other?.tryAcquire('k');
    expect(free).not.toBeNull();
    await free?.release();
    await lease?.release();
  }
});

test('the lock that it holds is renewed while it waits for the other', async () => {
  const [from, to] = [newStore(), newStore()];
  // The lock of the store with the smaller identity is taken first.
  await (await recordOf(from)).identity('a', soon());
  await (await recordOf(to)).identity('b', soon());
  const locks = await mover(from, to);
  to.acquire('k', 'other:1:', 60_000);
  const waiting = locks.acquire('k', { ttlMs: 150, waitMs: 5_000 });
  await runtime.until(() => from.inspect('k') !== undefined);
  const owner = from.inspect('k')?.owner;

  // Longer than a lease that nobody renews.
  await runtime.sleep(400);
  expect(from.inspect('k')?.owner).toBe(owner);

  to.force('k');
  expect((await waiting).state).toBe('held');
  expect(from.inspect('k')?.owner).toBe(owner);
});

test('both stores must renew: with one of them gone the lease is lost, and the other lock is free', async () => {
  const [from, to] = [newStore(), newStore()];
  const locks = await mover(from, to);
  const lease = await locks.acquire('k', { ttlMs: 150 });

  to.force('k');
  await runtime.until(() => lease.state === 'lost');

  expect(from.inspect('k')).toBeUndefined();
  expect(lease.signal.aborted).toBe(true);
});

test('a caller that was dropped on the way to the second lock does not keep the first', async () => {
  const [from, to] = [newStore(), newStore()];
  // The lock of the store with the smaller identity is taken first.
  await (await recordOf(from)).identity('a', soon());
  await (await recordOf(to)).identity('b', soon());
  const backend = await openMoving(
    {
      from: { backend: await backendOn(from) },
      to: { backend: await backendOn(to), fencingEpoch: 1 },
    },
    host,
  );
  to.acquire('k', 'other:1:', 10_000);
  const contender = backend.contend({ key: 'k', contender: 'dropped', ttlMs: 100 });

  expect((await contender.attempt(soon())).kind).toBe('busy');
  expect(from.inspect('k')?.owner).toContain('dropped');

  await runtime.until(() => from.inspect('k') === undefined);
});

test('two that move in opposite directions take the locks in one order', async () => {
  const [a, b] = [newStore(), newStore()];
  const forth = await mover(a, b);
  await forth.use('k', () => {});
  await (await recordOf(b)).flip(1, soon());
  const backend = await openMoving(
    {
      from: { backend: await backendOn(b), fencingEpoch: 1 },
      to: { backend: await backendOn(a), fencingEpoch: 2 },
    },
    host,
  );
  const back = createLocks(backend, host, { ttlMs: 1_000, waitMs: 5_000 });

  const turns = Array.from({ length: 20 }, (_, n) =>
    (n % 2 === 0 ? forth : back).use('k', () => n, { waitMs: 5_000 }),
  );

  expect(await Promise.all(turns)).toEqual(turns.map((_, n) => n));
});

test.each([
  [
    'one store twice',
    async () => {
      const store = newStore();
      return await mover(store, store);
    },
    /are one store/,
  ],
  [
    'a store of a later epoch',
    async () => {
      const [from, to] = [newStore(), newStore()];
      await (await recordOf(to)).raise(5, soon());
      return await mover(from, to);
    },
    /has fencingEpoch 5, and this client 1/,
  ],
] as const)('%s is refused', async (_, open, why) => {
  const locks = await open();

  const error = await locks.acquire('k').catch((cause: unknown) => cause);

  expect(isLockError(error)).toBe(true);
  expect(String(error)).toMatch(why);
});

test('a session on either side leaves no ttl per call', async () => {
  const locks = await mover(newStore(), newStore(), ({ capabilities }) => ({
    capabilities: { ...capabilities, lease: 'session' },
  })).catch((error: unknown) => error);

  expect(String(locks)).toContain('ttlMs');
});

test('its leases cannot be handed over, since each is two', async () => {
  const locks = await mover(newStore(), newStore());
  await using lease = await locks.acquire('k');

  await expect(lease.export()).rejects.toMatchObject({ code: 'CAPABILITY' });
  await expect(locks.adopt('holdfast-lease:1:e30')).rejects.toMatchObject({ code: 'CAPABILITY' });
  expect(lease.state).toBe('held');
});
