import { systemRuntime } from '@holdfast/core/backend';
import { openRedisNode } from '@holdfast/redis';
import { parseZkUrl } from 'holdfast/internal';
import {
  type ComparedServer,
  startLocalRedis,
  startLocalZooKeeper,
} from '../lab/short/compared-server.ts';
import { ChildProcesses, hostMs, ZOOKEEPER_HINT } from '../real/index.ts';
import { type Figures, figuresOf } from './figures.ts';
import { LoadGenerator } from './load-generator.ts';
import { lockFor } from './open-lock.ts';
import { loadOptionsOf, productsOf, type Sale, type SaleEnvironment } from './sale.ts';
import { ShopChild } from './shop-child.ts';
import type { SaleStep } from './step.ts';
import { keyOf } from './stock.ts';
import { initialStock } from './strategies.ts';

const CALL_MS = 5_000;
/** In leases. A machine may have other work for a while. A step that has to get stuck shows it sooner. */
const IDLE_TIMEOUT_LEASES = 12;
const IDLE_TIMEOUT_LEASES_STUCK = 6;

/** Runs sales on real servers on loopback, with application processes. */
export class LocalEnvironment implements SaleEnvironment {
  readonly servers = 'local';
  readonly by: string;
  readonly #redis: readonly ComparedServer[];
  readonly #zk: ComparedServer | undefined;
  readonly #processes = new ChildProcesses();
  /** The processes of the previous sale: to start one takes longer than count a sale. */
  #idleApps: readonly ShopChild[] = [];

  private constructor(redis: readonly ComparedServer[], zk: ComparedServer | undefined) {
    this.#redis = redis;
    this.#zk = zk;
    const [first] = redis;
    this.by = [first?.description ?? '', ...(zk === undefined ? [] : [zk.description])].join(', ');
  }

  /**
   * @param steps the steps to run: as count servers are started as the largest needs
   * @param withZk true if ZooKeeper is installed
   */
  static async open(steps: readonly SaleStep[], withZk: boolean): Promise<LocalEnvironment> {
    const locks = steps.flatMap(({ lock }) => (lock === undefined ? [] : lockFor(lock)));
    const count = Math.max(
      1,
      ...locks.map(({ nodes, ensemble }) => (ensemble === true ? 1 : nodes)),
    );
    const isEnsemble = withZk && locks.some(({ ensemble }) => ensemble);
    const starts = [
      ...Array.from({ length: count }, () => startLocalRedis()),
      ...(isEnsemble ? [startLocalZooKeeper()] : []),
    ];
    const settled = await Promise.allSettled(starts);
    const servers = settled.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
    const failed = settled.find((each) => each.status === 'rejected');
    if (failed === undefined) return new LocalEnvironment(servers.slice(0, count), servers[count]);
    await Promise.all(servers.map((server) => server.close()));
    throw failed.reason;
  }

  missing({ lock }: SaleStep): string | undefined {
    const isEnsemble = lock !== undefined && lockFor(lock).ensemble === true;
    if (!isEnsemble || this.#zk !== undefined) return undefined;
    return `ZooKeeper is not installed: ${ZOOKEEPER_HINT}`;
  }

  async run(sale: Sale): Promise<Figures> {
    const { step, settings } = sale;
    await this.#stock(sale);
    const redis = this.#urlsFor(step);
    const ensemble = this.#zk === undefined ? [] : parseZkUrl(this.#zk.source).servers;
    const apps = this.#startApps(settings.apps);
    try {
      await Promise.all(apps.map((app, place) => app.open({ sale, place, redis, ensemble })));
      const context = { runtime: systemRuntime(), clock: hostMs };
      const served = await new LoadGenerator(
        apps,
        loadOptionsOf(sale, idleTimeoutFor(step)),
        context,
      ).buy();
      return figuresOf(served, settings);
    } finally {
      this.#recycleApps(apps);
    }
  }

  async close(): Promise<void> {
    this.#processes.close();
    const all = [...this.#redis, ...(this.#zk === undefined ? [] : [this.#zk])];
    await Promise.all(all.map((server) => server.close()));
  }

  #startApps(count: number): readonly ShopChild[] {
    const free = this.#idleApps.filter(({ isFree }) => isFree);
    const missing = Array.from({ length: count - free.length });
    return [...free, ...missing.map(() => new ShopChild(this.#processes))];
  }

  /** Closes processes that are still busy with a stopped sale; the others are used again. */
  #recycleApps(apps: readonly ShopChild[]): void {
    for (const app of apps) if (!app.isFree) app.close();
    this.#idleApps = apps.filter(({ isFree }) => isFree);
  }

  #urlsFor({ lock }: SaleStep): readonly string[] {
    const { nodes = 1, ensemble = false } = lock === undefined ? {} : lockFor(lock);
    return this.#redis.slice(0, ensemble ? 1 : nodes).map(({ source }) => source);
  }

  /** Clears the servers, which are ours, and stocks them. */
  async #stock({ step, settings }: Sale): Promise<void> {
    const stockByProduct = initialStock(step.strategy, productsOf(settings), settings.stock);
    for (const [place, { source }] of this.#redis.entries()) {
      const runtime = systemRuntime();
      const node = await openRedisNode(source, { runtime });
      const send = (...command: readonly string[]): Promise<unknown> =>
        node.command(command, { deadlineMs: runtime.now().monotonicMs + CALL_MS });
      await send('FLUSHALL');
      if (place === 0)
        for (const [product, count] of stockByProduct)
          await send('SET', keyOf(product), `${count}`);
      await node.close();
    }
  }
}

function idleTimeoutFor({ shows }: SaleStep): number {
  return shows?.includes('deadlocked') === true ? IDLE_TIMEOUT_LEASES_STUCK : IDLE_TIMEOUT_LEASES;
}
