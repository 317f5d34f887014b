import { BackendUnavailableError, CapabilityError, isLockError, type Locks } from '@holdfast/core';
import {
  type Backend,
  createHost,
  createLocks,
  type Host,
  type Marks,
  MemoryStore,
  openMemory,
  type Release,
  StoreRecord,
  withFencingEpoch,
} from '@holdfast/core/backend';
import { expect, test } from 'vitest';

const EPOCH = 1n << 53n;
const host = createHost();

/** A client of the store, with its own `Locks`; `change` replaces parts of its backend. */
async function client(
  store: MemoryStore,
  epoch?: number,
  change: (backend: Backend) => Partial<Backend> = () => ({}),
): Promise<{ readonly locks: Locks; readonly checkEpoch: () => Promise<void> }> {
  const memory = await openMemory({ store }, host);
  const { backend, checkEpoch } = withFencingEpoch({ ...memory, ...change(memory) }, host, epoch);
  return { locks: createLocks(backend, host), checkEpoch };
}

/** A store that was moved to, and so counts in this epoch. */
async function flipped(epoch: number): Promise<MemoryStore> {
  const store = new MemoryStore(() => performance.now());
  await recordOf(store).flip(epoch, Number.POSITIVE_INFINITY);
  return store;
}

function recordOf(store: MemoryStore): StoreRecord {
  const marks: Marks = {
    read: (name) => Promise.resolve(store.readMark(name)),
    write: (name, value) => Promise.resolve(store.writeMark(name, value)),
  };
  return new StoreRecord(marks, 'memory');
}

async function tokenOf(locks: Locks): Promise<bigint> {
  return await locks.use('k', ({ fencingToken }) => fencingToken ?? -1n);
}

test('a token is epoch × 2^53 + the number of the store: 0 by default, and the largest fits 64 bits with a sign', async () => {
  const first = await client(await flipped(0));
  const last = await client(await flipped(1_023), 1_023);

  expect(await tokenOf(first.locks)).toBe(1n);
  expect(await tokenOf(last.locks)).toBe(1_023n * EPOCH + 1n);
  expect(1_023n * EPOCH + EPOCH - 1n).toBe(2n ** 63n - 1n);
});

test('every token of a later epoch is larger than the last of an earlier one', async () => {
  const early = await client(await flipped(0), 0, withOwnToken(EPOCH - 1n));
  const late = await client(await flipped(1), 1, withOwnToken(0n));

  const [before, after] = [await tokenOf(early.locks), await tokenOf(late.locks)];

  expect(after - before).toBe(1n);
  // Neighbours, which a double does not tell apart.
  expect(Number(after)).toBe(Number(before + 1n));
  expect(Number(after + 1n)).toBe(Number(after));
});

test.each([0, 1])('in epoch %s a hold goes straight to the next caller, too', async (epoch) => {
  const to: string[] = [];
  const { locks } = await client(await flipped(epoch), epoch, (backend) => ({
    contend: (request) => {
      const contender = backend.contend(request);
      const attempt = contender.attempt.bind(contender);
      return Object.assign(contender, {
        attempt: async (deadlineMs: number) => {
          const attempted = await attempt(deadlineMs);
          if (attempted.kind !== 'granted') return attempted;
          const { grant } = attempted;
          const releaseToNext = (): Promise<Release> => {
            to.push(request.contender);
            return grant.release();
          };
          return { ...attempted, grant: Object.assign(grant, { releaseToNext }) };
        },
      });
    },
  }));

  await Promise.all([tokenOf(locks), tokenOf(locks)]);

  expect(to).toHaveLength(1);
});

test('an own number of 2^53 is an error, never wrapped, and the key is released', async () => {
  const store = await flipped(1);
  const { locks } = await client(store, 1, withOwnToken(EPOCH));

  const error = await locks.acquire('k').catch((cause: unknown) => cause);

  expect(isLockError(error, 'FENCING_EPOCH')).toBe(true);
  expect(error).toMatchObject({ key: 'k', backend: 'memory', message: /9007199254740992/ });
  expect((await locks.inspect('k').catch(() => ({ held: true }))).held).toBe(false);
});

function down(): never {
  throw new BackendUnavailableError('down', { backend: 'memory' });
}

function noTokens({ capabilities }: Backend): Partial<Backend> {
  return { capabilities: { ...capabilities, fencing: 'none' } };
}

function withOwnToken(own: bigint): (backend: Backend) => Partial<Backend> {
  return (backend) => ({
    contend: (request) => {
      const contender = backend.contend(request);
      return {
        attempt: async (deadlineMs) => {
          const attempt = await contender.attempt(deadlineMs);
          if (attempt.kind !== 'granted') return attempt;
          return { kind: 'granted', grant: { ...attempt.grant, fencingToken: own } };
        },
        withdraw: () => contender.withdraw(),
      };
    },
  });
}

test.each([
  { stored: 0, own: 3 },
  { stored: 3, own: 0 },
  { stored: 3, own: 2 },
])(
  'a client with epoch $own is refused where the store has $stored, and both are named',
  async ({ stored, own }) => {
    const store = await flipped(stored);
    await recordOf(store).flip(own, Number.POSITIVE_INFINITY);
    await tokenOf((await client(store, stored)).locks);
    const { locks, checkEpoch } = await client(store, own);

    const [onOpening, onAcquire] = await Promise.all([
      checkEpoch().catch((error: unknown) => error),
      locks.acquire('k').catch((error: unknown) => error),
    ]);

    for (const error of [onOpening, onAcquire]) {
      expect(isLockError(error, 'FENCING_EPOCH')).toBe(true);
      expect(String(error)).toContain(
        `the store has fencingEpoch ${stored}, and this client ${own}`,
      );
      expect(String(error)).toContain(`set fencingEpoch to ${stored}`);
    }
  },
);

test('the epoch is written at first use, not on opening', async () => {
  const store = await flipped(2);
  const { locks, checkEpoch } = await client(store, 2);

  await checkEpoch();
  expect(store.readMark('epoch')).toBeUndefined();
  await tokenOf(locks);

  expect(store.readMark('epoch')).toBe('2');
});

test('an epoch above 0 does not count before the store is flipped', async () => {
  const store = new MemoryStore(() => performance.now());
  const { locks } = await client(store, 1);

  const before = await locks.tryAcquire('k').catch((error: unknown) => error);
  await recordOf(store).flip(1, Number.POSITIVE_INFINITY);

  expect(isLockError(before, 'FENCING_EPOCH')).toBe(true);
  expect(String(before)).toContain('run holdfast move flip');
  expect(await tokenOf(locks)).toBe(EPOCH + 1n);
});

test('of clients that claim different epochs at once, those of one are admitted', async () => {
  const store = await flipped(1);
  const clients = await Promise.all([0, 1, 0, 1].map((epoch) => client(store, epoch)));

  const outcomes = await Promise.allSettled(clients.map(({ locks }) => tokenOf(locks)));

  expect(outcomes.map(({ status }) => status)).toEqual(
    store.readMark('epoch') === '0'
      ? ['fulfilled', 'rejected', 'fulfilled', 'rejected']
      : ['rejected', 'fulfilled', 'rejected', 'fulfilled'],
  );
});

test('a claim that others overtake by a claim and a raise is refused', async () => {
  const store = await flipped(1);
  const { locks } = await client(store, 0, ({ marks }) => ({
    marks: marks && {
      ...marks,
      write: async (name, value, deadlineMs) => {
        store.writeMark('epoch', '0');
        store.writeMark('epoch-after-0', '1');
        return await marks.write(name, value, deadlineMs);
      },
    },
  }));

  await expect(tokenOf(locks)).rejects.toThrow('the store has fencingEpoch 1, and this client 0');
});

test('a client that comes before the flip, or is refused, writes no epoch', async () => {
  const store = new MemoryStore(() => performance.now());
  const { locks } = await client(store, 5);

  await expect(tokenOf(locks)).rejects.toThrow('run holdfast move flip');

  expect(store.readMark('epoch')).toBeUndefined();
});

test('a raised epoch refuses clients of the one before, and is never lowered', async () => {
  const store = await flipped(2);
  await tokenOf((await client(store, 0)).locks);

  expect(await recordOf(store).raise(2, Number.POSITIVE_INFINITY)).toBe(2);
  expect(await recordOf(store).raise(1, Number.POSITIVE_INFINITY)).toBe(2);

  const straggler = await client(store, 0);
  await expect(straggler.checkEpoch()).rejects.toThrow('the store has fencingEpoch 2');
  expect(await tokenOf((await client(store, 2)).locks)).toBe(2n * EPOCH + 2n);
});

test('two that raise it at once agree', async () => {
  const store = await flipped(0);
  await recordOf(store).claim(0, Number.POSITIVE_INFINITY);

  const raised = await Promise.all(
    [3, 5].map((epoch) => recordOf(store).raise(epoch, Number.POSITIVE_INFINITY)),
  );

  expect(await recordOf(store).epoch(Number.POSITIVE_INFINITY)).toBe(5);
  expect(raised).toContain(5);
});

test('a mark that is no epoch is foreign, and nothing is locked', async () => {
  const store = await flipped(0);
  store.writeMark('epoch', 'yes');
  const { locks } = await client(store);

  const error = await locks.acquire('k').catch((cause: unknown) => cause);

  expect(isLockError(error, 'FOREIGN_KEY')).toBe(true);
  expect(String(error)).toContain('"yes"');
});

test('a store that does not reply is asked again: opening succeeds, an attempt is unavailable, a later one is not', async () => {
  let isDown = true;
  const { locks, checkEpoch } = await client(await flipped(0), 0, ({ marks }) => ({
    marks: {
      read: async (name, deadlineMs) =>
        isDown ? down() : await (marks?.read(name, deadlineMs) ?? down()),
      write: async (name, value, deadlineMs) =>
        await (marks?.write(name, value, deadlineMs) ?? down()),
    },
  }));

  await checkEpoch();
  const error = await locks.tryAcquire('k').catch((cause: unknown) => cause);
  isDown = false;

  expect(isLockError(error, 'BACKEND_UNAVAILABLE')).toBe(true);
  expect(await tokenOf(locks)).toBe(1n);
});

test('a crowd that starts at once asks once', async () => {
  let reads = 0;
  const { locks } = await client(await flipped(0), 0, ({ marks }) => ({
    marks: marks && {
      ...marks,
      read: (name, deadlineMs) => {
        reads += 1;
        return marks.read(name, deadlineMs);
      },
    },
  }));

  await Promise.all(Array.from({ length: 50 }, (_, n) => locks.use(`k${n}`, () => n)));

  // As for one: before and in the claim, and behind it.
  expect(reads).toBe(4);
});

test('an adopted lease has the epoch in its token, and is refused a client of another epoch', async () => {
  const store = await flipped(1);
  const [web, worker, stranger] = [
    await client(store, 1),
    await client(store, 1),
    await client(store, 2),
  ];

  const lease = await web.locks.acquire('k');
  const text = await lease.export();

  await expect(stranger.locks.adopt(text)).rejects.toMatchObject({ code: 'FENCING_EPOCH' });
  await using adopted = await worker.locks.adopt(text);
  expect(lease.fencingToken).toBe(EPOCH + 1n);
  expect(adopted.fencingToken).toBe(EPOCH + 2n);
  // A grant with an epoch in its token can be exported, too.
  expect(await adopted.export()).toMatch(/^holdfast-lease:1:/);
});

test('who has less time than the caller that asks does not wait for its reply', async () => {
  const memory = await openMemory({ store: await flipped(0) }, host);
  const silent: Marks = {
    read: (_, deadlineMs) =>
      new Promise((_resolve, reject) => {
        const late = (): void => reject(new BackendUnavailableError('no reply'));
        setTimeout(late, deadlineMs - performance.now());
      }),
    write: down,
  };
  const { backend } = withFencingEpoch({ ...memory, marks: silent }, host);
  const settled: string[] = [];
  const attempt = async (name: string, ms: number): Promise<void> => {
    const contender = backend.contend({ key: name, contender: name });
    await contender.attempt(performance.now() + ms);
    settled.push(name);
  };

  await Promise.all([attempt('patient', 500), attempt('hurried', 20)]);

  expect(settled).toEqual(['hurried', 'patient']);
});

test('inspect shows the epoch of the store and the token with it, whatever the epoch of who asks', async () => {
  const store = await flipped(1);
  const holder = await client(store, 1);
  await using lease = await holder.locks.acquire('k');
  const operator = await client(store);

  expect(await operator.locks.inspect('k')).toMatchObject({
    held: true,
    fencingEpoch: 1,
    fencingToken: lease.fencingToken,
  });
  expect(await operator.locks.inspect('free')).toEqual({
    key: 'free',
    held: false,
    fencingEpoch: 1,
  });
});

test('a backend without tokens, or without marks, has no epoch: given one, it is refused', async () => {
  const store = await flipped(0);

  await expect(client(store, 1, noTokens)).rejects.toThrow(CapabilityError);
  await expect(client(store, 1, noTokens)).rejects.toThrow('it has no fencing tokens');
  await expect(client(store, 1, () => ({ marks: undefined }))).rejects.toThrow('no marks');
  await expect(client(store, undefined, noTokens)).resolves.toBeDefined();
});

test.each([-1, 0.5, 1_024, Number.NaN, '1'])('%s is no epoch', async (epoch) => {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what JavaScript may pass
  const given = epoch as number;

  await expect(client(await flipped(0), given)).rejects.toThrow(
    'fencingEpoch must be a whole number from 0 to 1023',
  );
});

test('a contender that cannot be woken stays one', async () => {
  const request = { key: 'k', contender: 'c' };
  const quiet: Host = host;
  const memory = await openMemory({}, quiet);
  const { name, capabilities, marks } = memory;
  const { backend } = withFencingEpoch(
    {
      name,
      capabilities,
      marks,
      close: (options) => memory.close(options),
      contend: () => ({
        attempt: () => Promise.resolve({ kind: 'busy' }),
        withdraw: () => Promise.resolve({ kind: 'clean' }),
      }),
    },
    quiet,
  );

  expect(typeof Reflect.get(backend.contend(request), 'changed')).toBe('undefined');
  expect(typeof Reflect.get(memory.contend(request), 'changed')).toBe('function');
  expect('adopt' in backend).toBe(false);
});
