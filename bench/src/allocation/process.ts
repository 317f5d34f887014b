/** Counts what one candidate allocates, in a process whose young generation is so large that nothing is collected. */
import { PerformanceObserver } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Opened, Unlock } from '../candidate.ts';
import { CANDIDATES } from '../candidates.ts';
import { answer } from '../child.ts';

const [name = '', client = '', url = ''] = process.argv.slice(2);
const candidate = CANDIDATES.find((each) => each.name === name && each.client === client);
if (candidate === undefined) throw new Error(`there is no candidate ${name} over ${client}`);
const { gc } = globalThis;
if (gc === undefined) throw new Error('start with --expose-gc');

const IN_FLIGHT = 64;
const WARM_UP = 6_400;
const PAIRS = 3_200;
const LEASES = 5_000;
/** Enough for what is sent to be answered, and for finalisers. */
const SETTLE_MS = 200;

let collections = 0;
new PerformanceObserver((list) => (collections += list.getEntries().length)).observe({
  entryTypes: ['gc'],
});

async function pairs(opened: Opened, count: number): Promise<void> {
  const caller = async (key: number): Promise<void> => {
    for (let i = 0; i < count / IN_FLIGHT; i++) await (await take(opened, `orders/${key}`))();
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, (_, key) => caller(key)));
}

async function take(opened: Opened, key: string): Promise<Unlock> {
  const unlock = await opened.acquire(key);
  if (unlock === undefined) throw new Error(`${key} is taken, although nobody holds it`);
  return unlock;
}

async function collect(): Promise<number> {
  await sleep(SETTLE_MS);
  gc?.();
  await sleep(SETTLE_MS);
  gc?.();
  collections = 0;
  return process.memoryUsage().heapUsed;
}

/** Bytes that a pair allocates, whether or not they live on. */
async function allocatedBytes(opened: Opened): Promise<number> {
  await pairs(opened, WARM_UP);
  const before = await collect();
  // Their entries arrive late.
  await sleep(SETTLE_MS);
  collections = 0;
  await pairs(opened, PAIRS);
  const bytes = process.memoryUsage().heapUsed - before;
  await sleep(SETTLE_MS);
  if (collections > 0) throw new Error('a collection fell into the count');
  return bytes / PAIRS;
}

/** Bytes that a lease retains while it is held. */
async function retainedBytes(opened: Opened): Promise<number> {
  const before = await collect();
  const held: Unlock[] = [];
  for (let from = 0; from < LEASES; from += IN_FLIGHT) {
    const some = Array.from({ length: IN_FLIGHT }, (_, i) => take(opened, `held/${from + i}`));
    held.push(...(await Promise.all(some)));
  }
  const bytes = (await collect()) - before;
  await Promise.all(held.map((unlock) => unlock()));
  return bytes / held.length;
}

const opened = await candidate.open(url);

answer(async () => {
  const allocated = await allocatedBytes(opened);
  const retained = await retainedBytes(opened);
  await opened.close();
  return { allocated, retained };
});
