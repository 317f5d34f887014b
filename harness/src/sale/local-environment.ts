import { systemRuntime } from '@holdfast/core/backend';
import { openRedisNode } from '@holdfast/redis';
import type { ComparedServer } from '../lab/short/compared-server.ts';
import { localServersOf, startLocalRedis } from '../lab/short/local-servers.ts';
import { ChildProcesses, hostMs } from '../real/index.ts';
import { type Figures, figuresOf } from './figures.ts';
import { LoadGenerator } from './load-generator.ts';
import { lockFor, redisServersOf, WAIT_MS } from './open-lock.ts';
import { loadOptionsOf, productsOf, type Sale, type SaleEnvironment, withLeases } from './sale.ts';
import { ShopChild, type ShopOpening } from './shop-child.ts';
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
  /** The servers of locks that are not on Redis, by lock. */
  readonly #others: ReadonlyMap<string, ComparedServer>;
  readonly #env: NodeJS.ProcessEnv;
  readonly #processes = new ChildProcesses();
  /** The processes of the previous sale: to start one takes longer than count a sale. */
  #idleApps: readonly ShopChild[] = [];

  private constructor(
    redis: readonly ComparedServer[],
    others: ReadonlyMap<string, ComparedServer>,
    env: NodeJS.ProcessEnv,
  ) {
    this.#redis = redis;
    this.#others = others;
    this.#env = env;
    const all = [...redis.slice(0, 1), ...others.values()];
    this.by = all.map(({ description }) => description).join(', ');
  }

  /** @param steps the steps to run: as many servers are started as the largest needs, of each kind that is installed */
  static async open(steps: readonly SaleStep[], env: NodeJS.ProcessEnv): Promise<LocalEnvironment> {
    const locks = [...new Set(steps.flatMap(({ lock }) => lock ?? []))];
    const counts = locks.map((lock) => redisServersOf(lockFor(lock)) ?? 1);
    const count = Math.max(1, ...counts);
    const others = locks.flatMap((lock) => {
      const local = localServersOf(lock);
      return local === undefined || local.missing(env) !== undefined ? [] : [{ lock, local }];
    });
    const starts = [
      ...Array.from({ length: count }, () => startLocalRedis()),
      ...others.map(({ lock, local }) => local.start(lock)),
    ];
    const settled = await Promise.allSettled(starts);
    const servers = settled.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
    const failed = settled.find((each) => each.status === 'rejected');
    if (failed === undefined) {
      const rest = servers.slice(count);
      const byLock = others.flatMap(({ lock }, n) => {
        const server = rest[n];
        return server === undefined ? [] : [[lock, server] as const];
      });
      return new LocalEnvironment(servers.slice(0, count), new Map(byLock), env);
    }
    await Promise.all(servers.map((server) => server.close()));
    throw failed.reason;
  }

  missing({ lock }: SaleStep): string | undefined {
    return lock === undefined ? undefined : localServersOf(lock)?.missing(this.#env);
  }

  async run(requested: Sale): Promise<Figures> {
    const sale = withLeases(requested);
    const { step, settings } = sale;
    await this.#stock(sale);
    const redis = this.#urlsFor(step);
    const opening = this.#openingFor(sale);
    const apps = this.#startApps(settings.apps);
    try {
      await Promise.all(apps.map((app, place) => app.open({ sale, place, redis, opening })));
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
    const all = [...this.#redis, ...this.#others.values()];
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
    const count = lock === undefined ? 1 : (redisServersOf(lockFor(lock)) ?? 1);
    return this.#redis.slice(0, count).map(({ source }) => source);
  }

  #openingFor({ step, settings }: Sale): ShopOpening['opening'] {
    const { source } = this.#others.get(step.lock ?? '') ?? {};
    if (source === undefined) return undefined;
    return { source, override: { ttlMs: settings.ttlMs, waitMs: WAIT_MS } };
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
