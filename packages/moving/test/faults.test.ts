import { BackendUnavailableError, isLockError, type Locks } from '@holdfast/core';
import {
  type Backend,
  createHost,
  createLocks,
  MemoryStore,
  openMemory,
  type Renewal,
  StoreRecord,
} from '@holdfast/core/backend';
import { openMoving } from '@holdfast/moving';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { FlowingRuntime } from '../../core/test/kit/flowing-runtime.ts';

const runtime = new FlowingRuntime();
const host = createHost({ runtime });
const soon = (): number => runtime.nowMs + 1_000;

beforeAll(() => runtime.start());
afterAll(() => runtime.stop());

type Change = (backend: Backend) => Partial<Backend>;

function newStore(id: string): MemoryStore {
  const store = new MemoryStore(() => runtime.nowMs);
  store.writeMark('id', id);
  return store;
}

async function over(store: MemoryStore, change: Change = () => ({})): Promise<Backend> {
  const backend = await openMemory({ store }, host);
  return { ...backend, ...change(backend) };
}

async function mover(from: MemoryStore, to: MemoryStore, change?: Change): Promise<Locks> {
  const stores = {
    from: { backend: await over(from) },
    to: { backend: await over(to, change), fencingEpoch: 1 },
  };
  return createLocks(await openMoving(stores, host), host, { ttlMs: 300, waitMs: 600 });
}

function down(): Partial<Backend> {
  return { forceRelease: () => Promise.reject(new BackendUnavailableError('down')) };
}

interface Gate {
  readonly opened: Promise<void>;
  open(): void;
}

function newGate(): Gate {
  let open: (() => void) | undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open: () => open?.() };
}

async function recordOf(store: MemoryStore): Promise<StoreRecord> {
  const { marks, name } = await over(store);
  if (marks === undefined) throw new Error('memory keeps marks');
  return new StoreRecord(marks, name);
}

test('what an earlier round left in doubt stays in doubt when both locks are taken anew', async () => {
  const [from, to] = [newStore('a'), newStore('b')];
  let contenders = 0;
  // The first attempt in the new store is applied; its reply and its undo are lost.
  const doubtful: Change = (backend) => ({
    contend: (request) => {
      const own = backend.contend(request);
      contenders += 1;
      if (contenders > 1) return own;
      return {
        attempt: async () => {
          to.acquire(request.key, `${request.contender}:1:x`, 60_000);
          return { kind: 'unknown', cause: new Error('no reply') };
        },
        withdraw: async () => ({ kind: 'unknown', untilMs: 60_000 }),
      };
    },
  });
  const locks = await mover(from, to, doubtful);

  const acquiring = locks.acquire('k').catch((error: unknown) => error);
  await runtime.sleep(10);
  from.force('k');
  const error = await acquiring;

  expect(isLockError(error, 'OUTCOME_UNKNOWN')).toBe(true);
});

test('an attempt settles by its deadline, though a lost lock is still being released', async () => {
  const [from, to] = [newStore('a'), newStore('b')];
  const gate = newGate();
  const slow: Change = (backend) => ({
    contend: (request) => {
      const own = backend.contend(request);
      return {
        attempt: (deadlineMs) => own.attempt(deadlineMs),
        withdraw: () => gate.opened.then(() => own.withdraw()),
      };
    },
  });
  const stores = {
    from: { backend: await over(from) },
    to: { backend: await over(to, slow), fencingEpoch: 1 },
  };
  const backend = await openMoving(stores, host);
  to.acquire('k', 'other:1:', 60_000);
  const contender = backend.contend({ key: 'k', contender: 'c', ttlMs: 100 });
  expect((await contender.attempt(soon())).kind).toBe('busy');
  from.force('k');
  await runtime.until(() => from.inspect('k') === undefined);
  await runtime.sleep(100);

  // Nothing lets the withdrawal through before this has settled.
  expect((await contender.attempt(runtime.nowMs + 20)).kind).toBe('unavailable');

  gate.open();
  expect((await contender.attempt(soon())).kind).toBe('busy');
  expect(from.inspect('k')?.owner).toMatch(/:1:/);
});

test('a lock that is lost while the flip is looked for is not handed out', async () => {
  const [from, to] = [newStore('a'), newStore('b')];
  const gate = newGate();
  let isAsked = false;
  const slow: Change = ({ marks }) => ({
    marks: marks && {
      ...marks,
      read: async (name, deadlineMs) => {
        if (!name.startsWith('flipped')) return await marks.read(name, deadlineMs);
        isAsked = true;
        await gate.opened;
        return undefined;
      },
    },
  });
  const stores = {
    from: { backend: await over(from) },
    to: { backend: await over(to, slow), fencingEpoch: 1 },
  };
  const contender = (await openMoving(stores, host)).contend({
    key: 'k',
    contender: 'c',
    ttlMs: 100,
  });
  const attempting = contender.attempt(soon());
  await runtime.until(() => isAsked);
  from.force('k');
  await runtime.sleep(150);
  gate.open();

  expect((await attempting).kind).toBe('unavailable');
});

test('a lease that one store has lost is lost, though the other does not reply', async () => {
  const [from, to] = [newStore('a'), newStore('b')];
  let isSilent = false;
  const silent: Change = (backend) => ({
    contend: (request) => {
      const own = backend.contend(request);
      return {
        attempt: async (deadlineMs) => {
          const attempt = await own.attempt(deadlineMs);
          if (attempt.kind !== 'granted') return attempt;
          const { grant } = attempt;
          const renew = (ttlMs: number): Promise<Renewal> =>
            isSilent ? new Promise(() => undefined) : (grant.renew?.(ttlMs) ?? never());
          return { kind: 'granted', grant: { ...grant, renew } };
        },
        withdraw: () => own.withdraw(),
      };
    },
  });
  const locks = await mover(from, to, silent);
  const lease = await locks.acquire('k', { ttlMs: 60_000 });

  isSilent = true;
  from.force('k');
  // An extension to what is left anyway sends nothing.
  await runtime.sleep(1);

  // It would wait for the silent store without end.
  await expect(lease.extend(60_000)).rejects.toThrow('was lost');
});

function never(): never {
  throw new Error('it can renew');
}

test('a forced release of which one store did not reply is unknown if the other freed the key', async () => {
  const [from, to] = [newStore('a'), newStore('b')];
  const locks = await mover(from, to, down);

  await locks.acquire('k', { renew: false });
  expect((await locks.forceRelease('k')).kind).toBe('unknown');
  await expect(locks.forceRelease('free')).rejects.toThrow('down');
});

test('an inspection shows the token that the lease has, before the flip and after it', async () => {
  const [from, to] = [newStore('a'), newStore('b')];
  const locks = await mover(from, to);
  const shown = (): Promise<void> =>
    locks.use('k', async ({ fencingToken }) => {
      expect((await locks.inspect('k')).fencingToken).toBe(fencingToken);
    });

  await shown();
  await (await recordOf(to)).flip(1, soon());
  await shown();
});

test('a client that the old store refuses raises no epoch in the new one', async () => {
  const [from, to] = [newStore('a'), newStore('b')];
  await (await recordOf(from)).claim(0, soon());
  const mistyped = await openMoving(
    {
      from: { backend: await over(from), fencingEpoch: 2 },
      to: { backend: await over(to), fencingEpoch: 3 },
    },
    host,
  );

  const refused = createLocks(mistyped, host)
    .acquire('k')
    .catch((error: unknown) => error);

  expect(isLockError(await refused, 'FENCING_EPOCH')).toBe(true);
  expect(to.readMark('epoch')).toBeUndefined();
  expect(await (await mover(from, to)).use('k', () => 'done')).toBe('done');
});

test('clients that saw other identities do not wait for each other without end', async () => {
  const [from, to] = [newStore('b'), newStore('c')];
  const first = await mover(from, to);
  await first.use('k', () => {});
  // The new store lost its data, and with it its identity: new clients take the locks in the other order.
  const again = newStore('a');
  const second = await mover(from, again);
  await second.use('k', () => {});
  Object.assign(to, {
    readMark: (name: string) => again.readMark(name),
    acquire: again.acquire.bind(again),
    release: again.release.bind(again),
    renew: again.renew.bind(again),
    subscribe: again.subscribe.bind(again),
  });
  // Each has taken its first lock, and waits for that of the other.
  const turns = Array.from({ length: 6 }, (_, n) =>
    (n % 2 === 0 ? first : second).use('k', () => runtime.sleep(1), { waitMs: 15_000 }),
  );

  await expect(Promise.all(turns)).resolves.toHaveLength(6);
});
