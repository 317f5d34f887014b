/** One application process of a flash sale: it opens its locks, and sells until its parent is gone. */
import { type Backend, createHost, type Locks, type Runtime, systemRuntime } from '@holdfast/core';
import { openRedisNode } from '@holdfast/redis';
import type { RedisNode } from '@holdfast/redis/port';
import { openZk } from '@holdfast/zk';
import { DEALS } from '../sale/deals.ts';
import { locksOf, openOnRedis } from '../sale/open-lock.ts';
import { workMsOf } from '../sale/sale.ts';
import { handle, type ShopParts } from '../sale/shop.ts';
import type { FromShop, ShopOpening, ToShop } from '../sale/shop-messages.ts';
import { Stock } from '../sale/stock.ts';
import { troubledNode } from '../sale/trouble.ts';
import { hostMs } from './clock.ts';

const WARM_UP_MS = 1_000;
const opening: ShopOpening = JSON.parse(process.argv[2] ?? '');
const { step, settings } = opening.sale;
const runtime = systemRuntime();

function tell(message: FromShop): void {
  process.send?.(message);
}

function sleep(ms: number): Promise<void> {
  return new Promise((resume) => {
    runtime.timer(ms, resume, { awaited: true });
  });
}

/** Nothing of this process runs meanwhile, its timers included. */
function standStill(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

const strikes = { crash: () => process.kill(process.pid, 'SIGKILL'), standStill, sleep };

async function nodeAt(url: string, at: 'stock' | 'lock'): Promise<RedisNode> {
  const node = await openRedisNode(url, { runtime });
  const troubles = opening.place === 0 ? step.troubles : [];
  return troubledNode(node, at, troubles, { strikes, ttlMs: settings.ttlMs });
}

async function open(own: Runtime): Promise<ShopParts> {
  const host = createHost({ runtime: own, label: `shop-${opening.place + 1}` });
  const [url = ''] = opening.redis;
  const stock = new Stock(await nodeAt(url, 'stock'), own);
  const backend = await openLock(host);
  const locks = backend === undefined ? undefined : locksOf(backend, host, settings.ttlMs);
  await warmUp(locks);
  return { stock, locks, runtime: own, clock: hostMs, workMs: workMsOf(opening.sale) };
}

/** The first call of all connects and compiles, which may take longer than a call may. */
async function warmUp(locks: Locks | undefined): Promise<void> {
  const lease = await locks
    ?.acquire(`warm-up/${opening.place}`, { waitMs: WARM_UP_MS })
    .catch(() => undefined);
  await lease?.release();
}

async function openLock(host: ReturnType<typeof createHost>): Promise<Backend | undefined> {
  const { lock } = step;
  if (lock === undefined) return undefined;
  if (lock === 'zk')
    return await openZk({ servers: opening.zk, sessionTimeoutMs: settings.ttlMs }, host);
  const nodes = await Promise.all(opening.redis.map((each) => nodeAt(each, 'lock')));
  return await openOnRedis(lock, nodes, host);
}

// Whoever started us is gone; nobody buys any more.
process.on('disconnect', () => process.exit());

try {
  const parts = await open(runtime);
  process.on('message', (request: ToShop) => {
    void handle(DEALS[step.deal], request, parts).then((answer) =>
      tell({ kind: 'answer', n: request.n, answer }),
    );
  });
  tell({ kind: 'open' });
} catch (error) {
  tell({ kind: 'failed', message: error instanceof Error ? error.message : String(error) });
}
