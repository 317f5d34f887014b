import { readdirSync } from 'node:fs';
import { setPriority } from 'node:os';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { LockError, type Locks } from '@holdfast/core';
import { random } from '@holdfast/harness/simulator';
import { openLocks } from 'holdfast';
import { hostMs } from '../../../../../harness/test/kit/real-servers.ts';
import { onMessage, tell } from '../../../../support/parent.ts';
import { RealClient, RealHistory } from '../../../../support/real-history.ts';
import { timers } from './count-timers.ts';
import type { Arm, Orders, Usage } from './orders.ts';

/**
 * Clients of both arms in a process of their own. Argument: its orders. It reports `open` once its locks are, and waits for
 * `play`. Messages after that: `stop` ends the clients, and is answered by `stopped` once all keys are released; `die` kills
 * the process once its events are sent.
 */
const orders: Orders = JSON.parse(process.argv[2] ?? '');
const { name, ttlMs, keys, hotKeys } = orders;
const SEND_MS = 500;
const USAGE_MS = 15_000;
const WAIT_MS = 5_000;
/** Holds are short, or as long as a ttl: on renewals, or on a fixed lease. */
const SHORT_MS = 50;
const LONG_SHARE = 0.1;
const REST_MS = 200;

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** Not finer: so many processes that wake up are a load by themselves. */
const LOOP_MS = 200;
const loop = monitorEventLoopDelay({ resolution: LOOP_MS });
loop.enable();

const history = new RealHistory(hostMs);
const draw = random(name);
const stopping = new AbortController();

/** Half of the requests are for few keys, so that clients meet. */
function someKey(arm: Arm): string {
  const among = draw.next() < 0.5 ? hotKeys : keys;
  return `${arm}/${Math.floor(draw.next() * among)}`;
}

interface Plan {
  readonly holdMs: number;
  readonly renew: boolean;
}

/** A fixed lease stays valid where the servers have lost it: its holder asks nothing before its end. */
function somePlan(): Plan {
  if (draw.next() > LONG_SHARE) return { holdMs: draw.next() * SHORT_MS, renew: true };
  const renew = draw.next() < 0.5;
  return { holdMs: (renew ? 0.5 + draw.next() : 1) * ttlMs, renew };
}

async function work(client: RealClient, locks: Locks, key: string): Promise<void> {
  const hold = client.request(key);
  const { holdMs, renew } = somePlan();
  try {
    const lease = await locks.acquire(key, { waitMs: WAIT_MS, renew });
    client.granted(key, hold, lease);
    await sleep(stopping.signal.aborted ? 0 : holdMs);
    await client.release(key, hold, lease);
  } catch (error) {
    if (!(error instanceof LockError)) throw error;
    client.failed(key, hold, error.code);
  }
}

async function play(arm: Arm, client: RealClient, locks: Locks): Promise<void> {
  while (!stopping.signal.aborted) {
    await work(client, locks, someKey(arm));
    await sleep(draw.next() * REST_MS);
  }
}

function send(done?: () => void): void {
  if (history.events.length === 0) return done?.();
  process.send?.({ events: history.events.splice(0) }, () => done?.());
}

function usage(): Usage {
  // The mean, weighted by time: a long turn counts for all of it.
  const lateMs = (loop.mean + loop.stddev ** 2 / loop.mean) / 1e6 - LOOP_MS;
  loop.reset();
  collectGarbage();
  return {
    heapMb: process.memoryUsage().heapUsed / 2 ** 20,
    descriptors: readdirSync('/dev/fd').length,
    timers: timers.size,
    lateMs,
  };
}

async function openArm(arm: Arm): Promise<Locks> {
  const config = { backend: 'redis-simple', ttlMs, ...orders.arms[arm] } as const;
  return await openLocks(config, { label: `${name}-${arm}` });
}

const opened = await Promise.all(
  (['none', 'all'] as const).map(async (arm) => ({ arm, locks: await openArm(arm) })),
);
tell('open');
await new Promise<void>((resolve) => {
  onMessage((message) => {
    if (message === 'play') resolve();
  });
});
// Servers and proxies come first, or all clients would wait for what they share.
setPriority(10);
const sending = setInterval(send, SEND_MS);
const measuring = setInterval(() => tell({ usage: usage() }), USAGE_MS);
const playing = opened.flatMap(({ arm, locks }) => {
  const client = new RealClient(`${name}.${arm}`, locks, history);
  return Array.from({ length: orders.clients }, () => play(arm, client, locks));
});

async function stop(): Promise<void> {
  stopping.abort();
  await Promise.all(playing);
  await Promise.all(opened.map(({ locks }) => locks.close()));
  clearInterval(sending);
  clearInterval(measuring);
  send(() => tell('stopped'));
}

onMessage((message) => {
  if (message === 'stop') void stop();
  else if (message === 'die') send(() => process.kill(process.pid, 'SIGKILL'));
});
