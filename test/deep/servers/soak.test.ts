import { mkdir, writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { LockError, type Locks } from '@holdfast/core';
import { type HistoryEvent } from '@holdfast/core/backend';
import { explain, mutualExclusion } from '@holdfast/harness/check';
import { random } from '@holdfast/harness/simulator';
import { openLocks } from 'holdfast';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { RedisServer } from '../../../harness/test/kit/real-servers.ts';
import { RealClient, RealHistory } from '../../support/real-history.ts';
import { Chaos, type Injection } from './support/chaos.ts';

const SOAK_MS = Number(process.env['HOLDFAST_SOAK_MS'] ?? 180_000);
const LOCKS = 8;
/** Of each, which pass a key on among themselves. */
const CALLERS = 3;
const CLIENTS = LOCKS * CALLERS;
const KEYS = ['soak/a', 'soak/b', 'soak/c', 'soak/d'];
const TTL_MS = 1_000;
const WAIT_MS = 5_000;
/** A client that waits this long is stuck: six times the `waitMs` it asked for. */
const STUCK_MS = 30_000;

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

let server: RedisServer;
const unhandled: unknown[] = [];
const remember = (reason: unknown): void => void unhandled.push(reason);

beforeEach(async () => {
  server = await RedisServer.start();
  process.on('unhandledRejection', remember);
});

afterEach(async () => {
  process.off('unhandledRejection', remember);
  await server.close();
});

interface Tally {
  granted: number;
  failed: Map<string, number>;
  longestMs: number;
}

async function client(
  name: string,
  locks: Locks,
  history: RealHistory,
  going: () => boolean,
  tally: Tally,
): Promise<void> {
  const real = new RealClient(name, locks, history);
  const draw = random(name);
  while (going()) {
    const key = KEYS[Math.floor(draw.next() * KEYS.length)] ?? 'soak/a';
    const hold = real.request(key);
    const from = performance.now();
    try {
      const lease = await locks.acquire(key, { ttlMs: TTL_MS, waitMs: WAIT_MS });
      real.granted(key, hold, lease);
      tally.granted++;
      // One in fifty lives on renewals.
      await sleep(draw.next() < 0.02 ? 2_500 : draw.next() * 30);
      await real.release(key, hold, lease);
    } catch (error) {
      if (!(error instanceof LockError)) throw error;
      real.failed(key, hold, error.code);
      tally.failed.set(error.code, (tally.failed.get(error.code) ?? 0) + 1);
    }
    tally.longestMs = Math.max(tally.longestMs, performance.now() - from);
  }
}

/** Returns the number of the server's run that contains a moment. An empty restart forgets every lock, so runs are judged
 * separately. */
function lifeAt(atMs: number, injections: readonly Injection[]): number {
  return injections.filter(
    (injection) => injection.kind === 'restart-empty' && injection.untilMs <= atMs,
  ).length;
}

/** In which life each hold was granted. */
function livesOf(
  history: readonly HistoryEvent[],
  injections: readonly Injection[],
): Map<string, number> {
  const lives = new Map<string, number>();
  for (const event of history) {
    if (event.type === 'granted') lives.set(event.hold, lifeAt(event.atMs, injections));
  }
  return lives;
}

/** The same history with a key of its own for each life, so that holds of two lives cannot be in each other's way. */
function apart(
  history: readonly HistoryEvent[],
  lives: ReadonlyMap<string, number>,
): HistoryEvent[] {
  return history.map((event) => {
    const life = 'hold' in event ? lives.get(event.hold) : undefined;
    return { ...event, key: `${event.key}#${life ?? 'never'}` };
  });
}

/** After how many of the restarts a hold of the life before was still valid while one of the new life was. */
function restartsThatBroke(
  history: readonly HistoryEvent[],
  lives: ReadonlyMap<string, number>,
): number {
  const count = Math.max(0, ...lives.values());
  let broke = 0;
  for (let life = 1; life <= count; life++) {
    const around = history.filter((event) => {
      const its = 'hold' in event ? lives.get(event.hold) : undefined;
      return its === life - 1 || its === life;
    });
    if (mutualExclusion(around).kind === 'violated') broke++;
  }
  return broke;
}

function heapMb(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed / 2 ** 20;
}

test(`${CLIENTS} callers keep mutual exclusion while redis-server is stopped, killed and restarted at random`, async () => {
  const seed = process.env['HOLDFAST_SEED'] ?? `${Date.now()}`;
  const draw = random(seed);
  const history = new RealHistory();
  const tally: Tally = { granted: 0, failed: new Map(), longestMs: 0 };
  const opened = await Promise.all(
    Array.from({ length: LOCKS }, (_, i) =>
      openLocks(
        { backend: 'redis-simple', url: server.url, library: i % 2 === 0 ? 'ioredis' : 'redis' },
        { label: `soak-${i}` },
      ),
    ),
  );
  const chaos = new Chaos(server, () => draw.next());
  let going = true;
  const beating = chaos.run();
  const clients = opened.flatMap((locks, i) =>
    Array.from({ length: CALLERS }, (_, n) =>
      client(`client-${i}-${n}`, locks, history, () => going, tally),
    ),
  );

  await sleep(SOAK_MS / 6);
  const heapBefore = heapMb() - history.events.length / 4_000;
  await sleep((SOAK_MS * 5) / 6);
  chaos.end();
  await beating;
  going = false;
  const stuck = await Promise.race([
    Promise.all(clients).then(() => 0),
    sleep(STUCK_MS, clients.length),
  ]);
  for (const locks of opened) await locks.use('soak/after', () => undefined, { waitMs: STUCK_MS });

  const lives = livesOf(history.events, chaos.injections);
  const together = mutualExclusion(apart(history.events, lives));
  const broke = restartsThatBroke(history.events, lives);
  await Promise.all(opened.map((locks) => locks.close()));
  const { length: eventCount } = history.events;
  history.events.length = 0;
  const heapAfter = heapMb();
  const stops = chaos.injections.filter(({ kind }) => kind === 'stop').length;
  const restarts = chaos.injections.length - stops;
  const summary = [
    `soak, seed ${seed}: ${SOAK_MS / 1000} s, ${CLIENTS} callers, ${stops} stops, ${restarts} empty restarts`,
    `${tally.granted} grants, ${eventCount} events; not granted: ${JSON.stringify(Object.fromEntries(tally.failed))}`,
    `validity within one life of the server: ${together.kind}; broken by ${broke} of ${restarts} empty restarts, as it must be`,
    `longest acquire and hold ${Math.round(tally.longestMs)} ms; heap ${heapBefore.toFixed(1)} MB -> ${heapAfter.toFixed(1)} MB`,
  ].join('\n');
  console.log(summary);
  await mkdir('reports', { recursive: true });
  await writeFile('reports/soak.txt', `${summary}\n`);

  expect(together.kind, explain(together)).toBe('ok');
  // A judge that sees nothing even where a server forgot its locks would have proved nothing.
  expect(broke).toBeGreaterThan(0);
  expect(stuck).toBe(0);
  expect(unhandled).toEqual([]);
  expect(tally.granted).toBeGreaterThan(SOAK_MS / 100);
  expect(heapAfter).toBeLessThan(heapBefore + 20);
});
