import type { Lease, Locks } from '@holdfast/core';
import { createHost, createLocks } from '@holdfast/core/backend';
import { Network, type SimProcess, World } from '@holdfast/harness/simulator';
import { loadSqlParser, SimPostgresServer, simPostgresDatabase } from '@holdfast/harness/stores';
import { migration, openPostgres } from '@holdfast/postgres';
import { expect, test } from 'vitest';

await loadSqlParser();

const TTL_MS = 4_000;
/** A place lasts three quarters of the ttl after its waiter's last attempt, and each waiter tries three times within that. */
const POLL_MS = 1_000;
const WAITERS = 12;

/** Who holds all permits of a semaphore, and those of another process that wait for one each. */
interface Crowd {
  readonly lease: Pick<Lease, 'release'>;
  readonly waiting: readonly Promise<Pick<Lease, 'release'>>[];
}

interface Opened {
  readonly process: SimProcess;
  readonly locks: Locks;
  /** The contenders that have sent an attempt. */
  readonly asked: Set<string>;
}

/** One server, and processes that hold in modes. */
class Fixture {
  readonly world: World = new World({ trace: false });
  readonly network: Network = new Network(this.world, { latencyMs: 1 });
  readonly server: SimPostgresServer = new SimPostgresServer(this.world, 'pg', {
    schema: migration(),
  });

  async open(name: string): Promise<Opened> {
    const process = this.world.process(name);
    const host = createHost({ runtime: process.runtime, label: name });
    const database = simPostgresDatabase(process, this.server, this.network);
    const asked = new Set<string>();
    const run = database.run.bind(database);
    database.run = (statement, args, options) => {
      if (statement.name === 'acquire')
        for (const owner of String(args[2]).split('\t')) asked.add(owner.split(':')[0] ?? '');
      return run(statement, args, options);
    };
    const locks = createLocks(await openPostgres({ database }, host), host, { ttlMs: TTL_MS });
    return { process, locks, asked };
  }

  async crowd(): Promise<Crowd> {
    const { locks: first } = await this.open('holding');
    const { locks } = await this.open('waiting');
    const lease = await first.semaphore('k', WAITERS).acquire(WAITERS);
    const waiting = Array.from({ length: WAITERS }, () => locks.semaphore('k', WAITERS).acquire());
    return { lease, waiting };
  }
}

function lockOf(locks: Locks, kind: 'write' | 'read' | 'semaphore') {
  return kind === 'semaphore' ? locks.semaphore('k', WAITERS).take(1) : locks[kind]('k');
}

test.each([
  ['readers behind a writer', 'write', 'read'],
  ['callers of a semaphore', 'semaphore', 'semaphore'],
] as const)(
  'after a holder that died, all %s hold within a ttl and two polls, though none of them was called',
  async (_, held, wanted) => {
    const place = new Fixture();
    await place.world.run(async () => {
      const { process: dying, locks: first } = await place.open('dying');
      const { locks } = await place.open('waiting');
      await (held === 'semaphore'
        ? first.semaphore('k', WAITERS).acquire(WAITERS)
        : lockOf(first, held).acquire());
      const waiting = Array.from({ length: WAITERS }, () => lockOf(locks, wanted).acquire());
      await place.world.advance(POLL_MS);
      dying.crash();
      let holding = 0;
      for (const each of waiting) void each.then(() => (holding += 1));
      await place.world.advance(TTL_MS + 2 * POLL_MS);

      expect(holding).toBe(WAITERS);
      await Promise.all((await Promise.all(waiting)).map((lease) => lease.release()));
    });
  },
);

test('those of one process that wait in line keep their places by two calls in a poll at most', async () => {
  const place = new Fixture();
  await place.world.run(async () => {
    const { lease, waiting } = await place.crowd();
    await place.world.advance(POLL_MS);
    let calls = 0;
    place.network.rule(({ way, label }) => {
      if (way === 'request' && label === 'keep') calls += 1;
      return 'pass';
    });
    await place.world.advance(3 * POLL_MS);
    const waiters = place.server.engine
      .contents()
      .filter(({ values }) => values['place'] && values['owner'] === null);

    expect(calls).toBeGreaterThan(0);
    expect(calls).toBeLessThanOrEqual(6);
    expect(waiters).toHaveLength(WAITERS);
    await lease.release();
    await Promise.all((await Promise.all(waiting)).map((each) => each.release()));
  });
});

test('a waiter that is called while the call that keeps its place is under way goes on at once', async () => {
  const place = new Fixture();
  await place.world.run(async () => {
    const { lease, waiting } = await place.crowd();
    let holding = 0;
    for (const each of waiting) void each.then(() => (holding += 1));
    const kept: string[] = [];
    place.network.rule(({ way, label }) => {
      if (way !== 'request' || label !== 'keep') return 'pass';
      kept.push(label);
      return { delayMs: POLL_MS };
    });
    while (kept.length === 0) await place.world.advance(POLL_MS / 20);
    await lease.release();
    await place.world.advance(POLL_MS / 20);

    expect(holding).toBe(WAITERS);
    await Promise.all((await Promise.all(waiting)).map((each) => each.release()));
  });
});

test('a release that is lost, and tried again, calls one waiter, not one with every try', async () => {
  const place = new Fixture();
  await place.world.run(async () => {
    const { locks, asked } = await place.open('a');
    const lease = await locks.semaphore('k', 1).acquire();
    const waiting = Array.from({ length: WAITERS }, () => locks.semaphore('k', 1).acquire());
    const ended = Promise.allSettled(waiting);
    await place.world.advance(POLL_MS / 2);
    asked.clear();
    const heal = place.network.rule(({ way, label }) =>
      way === 'request' && label === 'acquire' ? 'drop' : 'pass',
    );
    await lease.release();
    await place.world.advance(2 * TTL_MS);

    expect(asked.size).toBe(1);
    heal();
    await locks.close({ timeoutMs: 0 });
    await ended;
  });
});

test('a call that was to keep the places of all, and fails, is reported once', async () => {
  const place = new Fixture();
  await place.world.run(async () => {
    const { locks: first } = await place.open('holding');
    const { locks } = await place.open('waiting');
    let reports = 0;
    locks.on('node', () => (reports += 1));
    const lease = await first.semaphore('k', WAITERS).acquire(WAITERS);
    const waiting = Array.from({ length: WAITERS }, () => locks.semaphore('k', WAITERS).acquire());
    await place.world.advance(POLL_MS / 2);
    let calls = 0;
    const heal = place.network.rule(({ way, label }) => {
      if (way !== 'request' || label !== 'keep') return 'pass';
      calls += 1;
      return 'drop';
    });
    await place.world.advance(2 * POLL_MS);
    heal();
    await place.world.advance(POLL_MS);

    expect(calls).toBeGreaterThan(0);
    // A connection that lost one loses what is sent over it next, too.
    expect(reports).toBeGreaterThanOrEqual(calls);
    expect(reports).toBeLessThan(2 * calls);
    await Promise.allSettled([lease.release(), ...waiting]);
  });
});

test('a semaphore of a key that readers hold is refused, and nobody is warned of other permits', async () => {
  const place = new Fixture();
  await place.world.run(async () => {
    const { locks } = await place.open('a');
    const codes: string[] = [];
    locks.on('warning', ({ code }) => codes.push(code));
    const reader = await locks.read('k').acquire();

    await expect(locks.semaphore('k', 2).acquire()).rejects.toMatchObject({ code: 'OTHER_MODE' });
    expect(codes).toEqual([]);
    await reader.release();
    const permit = await locks.semaphore('k', 2).acquire();
    await locks.semaphore('k', 3).tryAcquire();
    expect(codes).toEqual(['PERMITS_DIFFER']);
    await permit.release();
  });
});

test('an attempt that arrives after a later one of its contender was granted changes nothing', async () => {
  const place = new Fixture();
  await place.world.run(async () => {
    const process = place.world.process('a');
    const host = createHost({ runtime: process.runtime, label: 'a' });
    const database = simPostgresDatabase(process, place.server, place.network);
    const backend = await openPostgres({ database }, host);
    const request = { key: 'k', contender: 'c', ttlMs: TTL_MS, mode: { kind: 'shared' } } as const;
    const contender = backend.contend(request);
    const soon = () => process.runtime.now().monotonicMs + TTL_MS;
    // The first request is on its way for longer than its call may take.
    let isFirst = true;
    const late = place.network.rule(({ way, label }) => {
      const delays = isFirst && way === 'request' && label === 'acquire';
      if (delays) isFirst = false;
      return delays ? { delayMs: TTL_MS / 4 } : 'pass';
    });
    expect(await contender.attempt(soon())).toMatchObject({ kind: 'unknown' });
    late();
    const second = await contender.attempt(soon());
    await place.world.advance(TTL_MS / 4);

    const member = place.server.engine.row('holdfast.members_v1', 'holdfast', 'k', 'c');
    expect(member).toMatchObject({ attempt: 2n, owner: 'c:2:a' });
    expect(second).toMatchObject({ kind: 'granted', grant: { owner: 'c:2:a' } });
    await contender.withdraw();
    await backend.close();
  });
});

test('a semaphore that only an earlier attempt of the same contender fills is granted to it again, and released late it was not held', async () => {
  const place = new Fixture();
  await place.world.run(async () => {
    const process = place.world.process('a');
    const host = createHost({ runtime: process.runtime, label: 'a' });
    const database = simPostgresDatabase(process, place.server, place.network);
    const backend = await openPostgres({ database }, host);
    const mode = { kind: 'permits', permits: 2, of: 2 } as const;
    const contender = backend.contend({ key: 'k', contender: 'c', ttlMs: TTL_MS, mode });
    const soon = () => process.runtime.now().monotonicMs + TTL_MS;
    // Its reply is lost, and so is the release that undoes it.
    const heal = place.network.rule(({ way, label }) => {
      if (way === 'reply' && label === 'acquire') return 'drop';
      return way === 'request' && label === 'release' ? 'drop' : 'pass';
    });
    expect(await contender.attempt(soon())).toMatchObject({ kind: 'unknown' });
    heal();
    const second = await contender.attempt(soon());
    if (second.kind !== 'granted') throw new Error(`the second attempt is ${second.kind}`);
    await place.world.advance(TTL_MS);

    expect(second.grant.owner).toBe('c:2:a');
    expect(await second.grant.release()).toEqual({ kind: 'not-held' });
    await backend.close();
  });
});

test('readers behind a writer are not held up by a caller of a semaphore of the same key, who is refused', async () => {
  const place = new Fixture();
  await place.world.run(async () => {
    const { locks } = await place.open('a');
    const { locks: mistaken } = await place.open('b');
    const writer = await locks.write('k').acquire();
    const reading = Array.from({ length: 6 }, () => locks.read('k').acquire());
    await place.world.advance(POLL_MS);
    const refused = Promise.allSettled([mistaken.semaphore('k', 2).acquire()]);
    let holding = 0;
    for (const each of reading) void each.then(() => (holding += 1));
    await place.world.advance(POLL_MS);
    await writer.release();
    await place.world.advance(TTL_MS + 2 * POLL_MS);

    expect(holding).toBe(6);
    for (const lease of await Promise.all(reading)) await lease.release();
    expect(await refused).toMatchObject([{ reason: { code: 'OTHER_MODE' } }]);
  });
});

test('a writer that is released twice at once is released', async () => {
  const place = new Fixture();
  await place.world.run(async () => {
    const { process } = await place.open('a');
    const host = createHost({ runtime: process.runtime, label: 'a' });
    const database = simPostgresDatabase(process, place.server, place.network);
    const backend = await openPostgres({ database }, host);
    const request = {
      key: 'k',
      contender: 'c',
      ttlMs: TTL_MS,
      mode: { kind: 'exclusive' },
    } as const;
    const attempt = await backend
      .contend(request)
      .attempt(process.runtime.now().monotonicMs + TTL_MS);
    if (attempt.kind !== 'granted') throw new Error(attempt.kind);
    const { grant } = attempt;
    const other = backend.contend({ ...request, contender: 'd', mode: { kind: 'shared' } });
    // It makes both releases wait for the same turn.
    void other.attempt(process.runtime.now().monotonicMs + TTL_MS);
    const releases = await Promise.all([grant.release(), grant.release()]);

    expect(releases).toContainEqual({ kind: 'released' });
    await other.withdraw();
    await backend.close();
  });
});

test('a hundred holders of permits keep their leases, though a reply takes 60 ms', async () => {
  const place = new Fixture();
  place.network.rule(() => ({ delayMs: 30 }));
  await place.world.run(async () => {
    const { locks } = await place.open('a');
    const lost: unknown[] = [];
    locks.on('lost', (event) => lost.push(event));
    const semaphore = locks.semaphore('k', 100);
    const leases = await Promise.all(Array.from({ length: 100 }, () => semaphore.acquire()));
    await place.world.advance(3 * TTL_MS);

    expect(lost).toEqual([]);
    await Promise.all(leases.map((lease) => lease.release()));
  });
});
