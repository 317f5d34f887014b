/** An application process of flash sales. It runs one sale after the other, until its parent exits. */

import { type Locks } from '@holdfast/core';
import { createHost, type ListenableHost, systemRuntime } from '@holdfast/core/backend';
import { openRedisNode } from '@holdfast/redis';
import type { RedisNode } from '@holdfast/redis/port';
import { openLocksOf } from '../lab/clients/open-locks-of.ts';
import { hostMs } from '../real/index.ts';
import { ClientEnv } from '../simulator/index.ts';
import { injectFaults, OvertakenReleases, type ProcessFaults } from './fault-injecting-node.ts';
import { lockFor, locksOf } from './open-lock.ts';
import { workMsOf } from './sale.ts';
import { handle, type PurchaseRequest, type PurchaseResult, type ShopParts } from './shop.ts';
import type { FromShop, ShopOpening, ToShop } from './shop-child.ts';
import { Stock } from './stock.ts';
import { STRATEGIES } from './strategies.ts';

const WARM_UP_MS = 1_000;
const CLOSE_MS = 200;
const runtime = systemRuntime();
const overtaken = new OvertakenReleases(hostMs);

const processFaults: ProcessFaults = {
  crash: () => process.kill(process.pid, 'SIGKILL'),
  // Nothing of this process runs meanwhile, not even a timer.
  pause: (ms) => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms),
  sleep: (ms) =>
    new Promise((resume) => {
      runtime.timer(ms, resume, { awaited: true });
    }),
  delayed: () => overtaken.delayed(),
};

function send(message: FromShop): void {
  process.send?.(message);
}

/** A sale, with the connections and locks that were opened for it. */
class OpenedSale {
  readonly #opening: ShopOpening;
  readonly #nodes: RedisNode[] = [];
  #locks: Locks | undefined;

  constructor(opening: ShopOpening) {
    this.#opening = opening;
  }

  async open(): Promise<ShopParts> {
    const { place, sale, redis } = this.#opening;
    const host = createHost({ runtime, label: `shop-${place + 1}` });
    const [url = ''] = redis;
    const stock = new Stock(await this.#node(url, 'stock'), runtime);
    this.#locks = await this.#openLocks(host);
    await this.#warmUp();
    return {
      stock,
      locks: this.#locks,
      runtime,
      clock: hostMs,
      overtaken,
      workMs: workMsOf(sale),
    };
  }

  async close(): Promise<void> {
    await this.#locks?.close({ timeoutMs: CLOSE_MS });
    await Promise.all(this.#nodes.map((node) => node.close()));
  }

  async #node(url: string, at: 'stock' | 'lock'): Promise<RedisNode> {
    const { place, sale } = this.#opening;
    const { step, settings } = sale;
    const node = await openRedisNode(url, { runtime });
    this.#nodes.push(node);
    const faults = place === 0 ? step.faults : [];
    return injectFaults(node, at, faults, { processFaults, ttlMs: settings.ttlMs });
  }

  async #openLocks(host: ListenableHost): Promise<Locks | undefined> {
    const { sale, redis, opening, place } = this.#opening;
    const { step, settings } = sale;
    if (step.lock === undefined) return undefined;
    if (opening !== undefined) return await openLocksOf(opening, `shop-${place + 1}`);
    const nodes = await Promise.all(redis.map((url) => this.#node(url, 'lock')));
    const lock = lockFor(step.lock);
    await lock.load?.();
    const backend = await lock.open(new ClientEnv(step.lock, { nodes }), host);
    return locksOf(backend, host, settings.ttlMs);
  }

  /**
   * Acquires one lock first, because the first call connects and compiles, which may take longer than a call deadline.
   */
  async #warmUp(): Promise<void> {
    const lease = await this.#locks
      ?.acquire(`warm-up/${this.#opening.place}`, { waitMs: WARM_UP_MS })
      .catch(() => undefined);
    await lease?.release();
  }
}

let current: OpenedSale | undefined;
let serve: (request: PurchaseRequest) => Promise<PurchaseResult>;

async function openSale(opening: ShopOpening): Promise<void> {
  try {
    await current?.close();
    current = new OpenedSale(opening);
    const parts = await current.open();
    serve = (request) => handle(STRATEGIES[opening.sale.step.strategy], request, parts);
    send({ kind: 'open' });
  } catch (error) {
    send({ kind: 'failed', message: error instanceof Error ? error.message : String(error) });
  }
}

// The parent process has exited, so no request will come.
process.on('disconnect', () => process.exit());
process.on('message', (message: ToShop) => {
  if ('sale' in message) void openSale(message);
  else void serve(message).then((result) => send({ kind: 'result', n: message.n, result }));
});
