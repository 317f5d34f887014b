import type { HistoryEvent } from '@holdfast/core/backend';
import { parseSchedule, play } from '@holdfast/harness/simulator';
import { Mutex, RedlockMutex } from 'redis-semaphore';
import Redlock from 'redlock-5';
import { ioredisClients } from './clients.ts';
import { SIMPLE_REDIS_MUTEX } from './libraries/simple-redis-mutex.ts';
import { type Attempt, type ClientOptions, one, sleep, slow, timed, verrouOn } from './scenario.ts';
import { SimulatedServers } from './simulated-servers.ts';
import { subjectOf } from './subject.ts';

/** The scenes of `docs/evidence/other-libraries.md` that were known before: each a few lines, on real clients with the options that they say. */

/** E1: of three nodes one is free, one held by a stranger for 300 ms, one down; a lease of 10 s. */
export function partialQuorum(library: 'redlock' | 'redis-semaphore'): Promise<Attempt> {
  const stage = new SimulatedServers({ nodes: 3 });
  return stage.run(async () => {
    // With a queue the client waits for the dead node, and never tries again.
    const clients = await ioredisClients(stage.hosts, { enableOfflineQueue: false });
    stage.occupy(1, ['k', 'mutex:k'], 300);
    stage.servers[2]?.crash();
    await sleep(10);
    return await timed(stage, () =>
      library === 'redlock'
        ? new Redlock(clients).acquire(['k'], 10_000)
        : new RedlockMutex([...clients], 'k', { lockTimeout: 10_000 }).acquire(),
    );
  });
}

/** E2: replies take 800 ms, a lease 400. Returns the report of each library, and whether a key is left. */
export async function slowReplies(): Promise<
  Readonly<Record<'redlock' | 'redis-semaphore' | 'Verrou', { reports: string; isStored: boolean }>>
> {
  const [three, mutex, verrou] = [slow(3), slow(1), slow(1)];
  const leftMs = await three.run(async () => {
    const lock = await new Redlock(await ioredisClients(three.hosts)).acquire(['k'], 400);
    return lock.expiration - Date.now();
  });
  const isAcquired = await mutex.run(async () => {
    const held = new Mutex(await one(mutex), 'k', { lockTimeout: 400, onLockLost: () => {} });
    await held.acquire();
    return held.isAcquired;
  });
  const isExpired = await verrou.run(async () => {
    const lock = verrouOn(await one(verrou)).createLock('k', 400);
    await lock.acquire();
    return lock.isExpired();
  });
  return {
    redlock: { reports: `resolves with ${leftMs} ms left`, isStored: three.get(0, 'k') !== null },
    'redis-semaphore': {
      reports: `isAcquired is ${isAcquired}`,
      isStored: mutex.get(0, 'mutex:k') !== null,
    },
    Verrou: { reports: `isExpired() is ${isExpired}`, isStored: verrou.get(0, 'k') !== null },
  };
}

/** E3: a lease of 1 s, the key overwritten at 0.1 s, the body throws at 4.1 s. */
export async function theft(): Promise<{
  readonly redlockReportedMs: number;
  readonly redlockRejectsWith: string;
  readonly redlockOverMs: number;
  readonly redisSemaphoreReportedMs: number;
}> {
  const stage = new SimulatedServers({ nodes: 1 });
  let redlockReportedMs = Number.NaN;
  const { outcome, tookMs } = await stage.run(async () => {
    const redlock = new Redlock(await ioredisClients(stage.hosts));
    return await timed(stage, () =>
      redlock.using(['k'], 1_000, async (signal) => {
        const fromMs = stage.world.nowMs;
        signal.addEventListener('abort', () => (redlockReportedMs = stage.world.nowMs - fromMs));
        await sleep(100);
        stage.occupy(0, ['k'], 60_000);
        await sleep(4_000);
        throw new Error('of the body');
      }),
    );
  });
  const other = new SimulatedServers({ nodes: 1 });
  const redisSemaphoreReportedMs = await other.run(async () => {
    const client = await one(other);
    return await new Promise<number>((resolve) => {
      const onLockLost = (): void => resolve(other.world.nowMs - fromMs);
      const mutex = new Mutex(client, 'k', { lockTimeout: 1_000, onLockLost });
      let fromMs = 0;
      void mutex.acquire().then(async () => {
        fromMs = other.world.nowMs;
        await sleep(100);
        other.occupy(0, ['mutex:k'], 60_000);
      });
    });
  });
  return {
    redlockReportedMs,
    redlockRejectsWith: outcome,
    redlockOverMs: tookMs,
    redisSemaphoreReportedMs,
  };
}

/** E4: the only server dies 0.2 s into a lease of 2 s; watched for 16 s. */
export function serverDiesUnderUsing(): Promise<{ readonly isAborted: boolean }> {
  const stage = new SimulatedServers({ nodes: 1 });
  return stage.run(async () => {
    const redlock = new Redlock(await ioredisClients(stage.hosts));
    return await new Promise((resolve) => {
      const watched = redlock.using(['k'], 2_000, async (signal) => {
        await sleep(200);
        stage.servers[0]?.crash();
        await sleep(15_800);
        resolve({ isAborted: signal.aborted });
      });
      watched.catch(() => {});
    });
  });
}

/** E5: the only server dies 0.1 s into a lease of 1 s; watched for 6 s. */
export async function serverDiesUnderMutex(options: ClientOptions): Promise<{
  readonly isAcquired: boolean;
  readonly timesReported: number;
  readonly unhandled: string | undefined;
}> {
  const stage = new SimulatedServers({ nodes: 1 });
  let mutex: Mutex | undefined;
  let timesReported = 0;
  const watched = stage.run(async () => {
    mutex = new Mutex(await one(stage, options), 'k', {
      lockTimeout: 1_000,
      onLockLost: () => timesReported++,
    });
    await mutex.acquire();
    await sleep(100);
    stage.servers[0]?.crash();
    await sleep(5_900);
  });
  const unhandled = await watched.then(
    () => undefined,
    (error: Error) => error.message,
  );
  return { isAcquired: mutex?.isAcquired ?? false, timesReported, unhandled };
}

/** E6: the first acquisition is applied, its reply lost and the connection reset; a lease of 5 s. */
export function lostReply(library: 'redlock' | 'redis-semaphore' | 'Verrou'): Promise<Attempt> {
  const stage = new SimulatedServers({ nodes: 1 });
  let left = library === 'redlock' ? 2 : 1;
  stage.rule(({ way, label }) =>
    // The server does not know the first script that redlock sends, and that is no acquisition.
    way === 'reply' && (label === 'SET' || label === 'acquire') && --left === 0 ? 'reset' : 'pass',
  );
  return stage.run(async () => {
    const client = await one(stage);
    return await timed(stage, () => {
      if (library === 'redlock') return new Redlock([client]).acquire(['k'], 5_000);
      if (library === 'Verrou') return verrouOn(client).createLock('k', 5_000).acquire();
      return new Mutex(client, 'k', { lockTimeout: 5_000 }).acquire();
    });
  });
}

/** E7: a client is paused between its SET and its INCR, for longer than the lease. */
export async function tokensInverted(): Promise<readonly HistoryEvent[]> {
  const schedule = parseSchedule({
    v: 1,
    ttlMs: 1_000,
    latencyMs: 1,
    nodes: 1,
    replicas: 0,
    lagMs: 0,
    replicaClockMs: 0,
    ops: [
      { id: 1, client: 'a', atMs: 0, holdMs: 10, renews: false },
      { id: 2, client: 'b', atMs: 50, holdMs: 500, renews: false },
    ],
    faults: [
      { kind: 'pause-acquire', client: 'a', when: { before: 'INCR', n: 1, by: 'a' }, ms: 1_500 },
    ],
  });
  return (await play(schedule, subjectOf(SIMPLE_REDIS_MUTEX))).history;
}

/** E10: a renewal must not be retried, and the key was overwritten; a lease of 1 s, half a millisecond one way. */
export async function renewalsAfterTheft(): Promise<{ readonly renewals: number }> {
  const stage = new SimulatedServers({ nodes: 1, latencyMs: 0.5 });
  await stage.run(async () => {
    const redlock = new Redlock(await ioredisClients(stage.hosts), { retryCount: 0 });
    const used = redlock.using(['k'], 1_000, async () => {
      await sleep(100);
      stage.occupy(0, ['k'], 60_000);
      await sleep(1_500);
    });
    await used.catch(() => {});
  });
  return { renewals: stage.sent('renew') };
}
