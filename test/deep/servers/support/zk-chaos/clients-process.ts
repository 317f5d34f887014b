import { writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { LockError, type Locks } from '@holdfast/core';
import { createHost, createLocks, systemRuntime } from '@holdfast/core/backend';
import { random } from '@holdfast/harness/simulator';
import { clientSessions, nativeSessions, openZk } from '@holdfast/zk';
import type { OpenSession } from '@holdfast/zk/port';
import { onMessage, tell } from '../../../../support/parent.ts';
import { RealClient, RealHistory } from '../../../../support/real-history.ts';
import type { Report } from './report.ts';
import { Bookkeeper } from './write-log.ts';

/** All clients of one run, in a process that may die of them. Arguments: library, servers, T, seed, where to report. */
const [library = '', servers = '', timeout = '', seed = '', reportPath = ''] =
  process.argv.slice(2);
const sessionTimeoutMs = Number(timeout);
const CLIENTS = 16;
const BOOKKEEPERS = 4;
const KEYS = ['chaos/a', 'chaos/b', 'chaos/c', 'chaos/d'];
const WAIT_MS = 5_000;

const runtime = systemRuntime();
const history = new RealHistory();
const report: Report = {
  history: history.events,
  errors: {},
  unhandled: [],
  ledger: [],
  strange: [],
};
const progress: number[] = [];
const stage = { isGoing: true, isCalm: false };

process.on('unhandledRejection', (reason) => report.unhandled.push(String(reason)));

function sessions(): OpenSession {
  const options = { servers: servers.split(','), sessionTimeoutMs };
  if (library === 'zookeeper') return nativeSessions(options, runtime);
  return clientSessions({ ...options, auth: undefined }, runtime);
}

async function open(name: string): Promise<Locks> {
  const host = createHost({ label: name });
  let id = 'unknown';
  host.on('node', ({ outcome }) => {
    id = /^session (0x[0-9a-f]+)$/.exec(outcome)?.[1] ?? id;
    // At once, while the servers still have the evidence.
    if (outcome === 'expired') tell({ expired: id });
  });
  return createLocks(await openZk({ open: sessions(), sessionTimeoutMs }, host), host);
}

async function work(index: number): Promise<void> {
  const name = `client-${index}`;
  const locks = await open(name);
  const real = new RealClient(name, locks, history);
  const draw = random(`${seed}/${name}`);
  while (stage.isGoing) {
    const key = KEYS[Math.floor(draw.next() * KEYS.length)] ?? '';
    const hold = real.request(key);
    try {
      const lease = await locks.acquire(key, { waitMs: WAIT_MS });
      real.granted(key, hold, lease);
      progress[index] = (progress[index] ?? 0) + 1;
      // One hold in fifty lasts until a renewal, except while idle clients are counted.
      const isLong = draw.next() < 0.02 && !stage.isCalm;
      await sleep(isLong ? sessionTimeoutMs / 2 : 5 + draw.next() * 20);
      await real.release(key, hold, lease);
    } catch (error) {
      if (!(error instanceof LockError)) throw error;
      real.failed(key, hold, error.code);
      report.errors[error.code] = (report.errors[error.code] ?? 0) + 1;
    }
    await sleep(20 + draw.next() * 40);
  }
  await locks.close({ timeoutMs: 5_000 });
}

async function keepBooks(index: number): Promise<void> {
  const books = new Bookkeeper(`${library}-${index}`, sessions(), () => performance.now());
  for (let count = 0; stage.isGoing; count++) {
    await books.write(count);
    progress[CLIENTS + index] = books.lines.length;
    await sleep(20);
  }
  report.ledger.push(...books.lines);
  report.strange.push(...books.strange);
  await books.close();
}

function numbers(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index);
}

const working = Promise.all([
  ...numbers(CLIENTS).map((index) => work(index)),
  ...numbers(BOOKKEEPERS).map((index) => keepBooks(index)),
]);

async function finish(): Promise<void> {
  stage.isGoing = false;
  await working;
  writeFileSync(reportPath, JSON.stringify(report));
  tell('finished');
  process.exit();
}

working.catch((error: unknown) => {
  tell(`failed: ${error instanceof Error ? error.stack : String(error)}`);
  process.exit(1);
});
onMessage((message) => {
  if (message === 'finish') void finish();
  stage.isCalm = message === 'calm';
  tell({ progress: numbers(CLIENTS + BOOKKEEPERS).map((index) => progress[index] ?? 0) });
});
tell('open');
