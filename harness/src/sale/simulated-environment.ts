import { type Backend, createHost, type Host } from '@holdfast/core/backend';
import type { RedisNode } from '@holdfast/redis/port';
import {
  ClientEnv,
  type Cluster,
  clusterOf,
  loadServers,
  Network,
  type Schedule,
  type SimProcess,
  SimRedisServer,
  simRedisNode,
  World,
} from '../simulator/index.ts';
import { injectFaults, OvertakenReleases } from './fault-injecting-node.ts';
import { type Figures, figuresOf } from './figures.ts';
import { type AppProcess, LoadGenerator } from './load-generator.ts';
import { lockFor, locksOf, redisServersOf, type SaleLock } from './open-lock.ts';
import {
  loadOptionsOf,
  productsOf,
  type Sale,
  type SaleEnvironment,
  type SaleSettings,
  withLeases,
  workMsOf,
} from './sale.ts';
import { handle, type PurchaseRequest, type PurchaseResult, type ShopParts } from './shop.ts';
import { keyOf, Stock } from './stock.ts';
import { initialStock, STRATEGIES } from './strategies.ts';

/** The latency between any two machines, one way. */
const LATENCY_MS = 0.25;
/** The sale is stopped if no request was served for so many leases. */
const IDLE_TIMEOUT_LEASES = 6;
/** Locks from outside, by the names that steps give them. */
type ExternalLocks = Readonly<Record<string, SaleLock>>;

/** Runs every sale in its own simulated world; its result is reproducible. */
export function simulatedEnvironment(externalLocks: ExternalLocks = {}): SaleEnvironment {
  return {
    servers: 'embedded',
    by: `the simulator of Holdfast, in virtual time; every message takes ${LATENCY_MS} ms one way`,
    missing: () => undefined,
    run: (sale) => runSimulatedSale(withLeases(sale), externalLocks),
    close: () => Promise.resolve(),
  };
}

async function runSimulatedSale(sale: Sale, externalLocks: ExternalLocks): Promise<Figures> {
  const { lock } = sale.step;
  if (lock !== undefined) await loadServers(externalLocks[lock] ?? lockFor(lock));
  const simulated = new SimulatedSale(sale, externalLocks);
  return await simulated.world.run(() => simulated.run());
}

/** One simulated sale: its world, network, servers and processes. */
class SimulatedSale {
  readonly world = new World({ trace: false, maxEvents: 20_000_000 });
  readonly #sale: Sale;
  readonly #lock: SaleLock | undefined;
  readonly #network: Network;
  readonly #users: SimProcess;
  readonly #redis: readonly SimRedisServer[];
  /** The servers of a lock that is not on Redis. */
  readonly #others: Cluster | undefined;

  constructor(sale: Sale, externalLocks: ExternalLocks) {
    const { step, settings } = sale;
    this.#sale = sale;
    this.#lock =
      step.lock === undefined ? undefined : (externalLocks[step.lock] ?? lockFor(step.lock));
    this.#network = new Network(this.world, { latencyMs: LATENCY_MS });
    this.#users = this.world.process('users');
    const nodes = this.#lock === undefined ? 1 : redisServersOf(this.#lock);
    const names =
      nodes === undefined ? ['stock'] : Array.from({ length: nodes }, (_, i) => `n${i + 1}`);
    this.#redis = names.map((name) => new SimRedisServer(this.world, name));
    if (this.#lock !== undefined && nodes === undefined)
      this.#others = clusterOf(this.world, scheduleFor(this.#lock, settings), this.#lock);
  }

  async run(): Promise<Figures> {
    const { step, settings } = this.#sale;
    for (const [product, count] of initialStock(
      step.strategy,
      productsOf(settings),
      settings.stock,
    ))
      this.#redis[0]?.engine.execute(['SET', keyOf(product), `${count}`]);
    const apps = await Promise.all(Array.from({ length: settings.apps }, (_, i) => this.#open(i)));
    const clock = (): number => this.world.nowMs;
    const { runtime } = this.#users;
    const served = await new LoadGenerator(apps, loadOptionsOf(this.#sale, IDLE_TIMEOUT_LEASES), {
      runtime,
      clock,
    }).buy();
    return figuresOf(served, settings);
  }

  async #open(place: number): Promise<AppProcess> {
    const process = this.world.process(`app-${place + 1}`);
    const app = new SimApp(process, this.#users, this.#sale);
    const nodes = (at: 'stock' | 'lock'): readonly RedisNode[] =>
      this.#redis.map((server) =>
        app.withFaults(simRedisNode(process, server, this.#network), at, place),
      );
    const [stock] = nodes('stock');
    if (stock === undefined) throw new Error('a sale needs a Redis server');
    await app.open(new Stock(stock, process.runtime), (host) =>
      this.#opened(host, nodes('lock'), process),
    );
    return app;
  }

  async #opened(
    host: Host,
    nodes: readonly RedisNode[],
    process: SimProcess,
  ): Promise<Backend | undefined> {
    const { step } = this.#sale;
    if (this.#lock === undefined) return undefined;
    return await this.#lock.open(
      new ClientEnv(`${step.lock}`, this.#others?.view(process) ?? { nodes }),
      host,
    );
  }
}

/** Servers that nothing happens to. */
function scheduleFor({ nodes }: SaleLock, { ttlMs }: SaleSettings): Schedule {
  const still = { replicas: 0, lagMs: 0, replicaClockMs: 0, ops: [], faults: [] };
  return { v: 1, ttlMs, latencyMs: LATENCY_MS, nodes, ...still };
}

/** One simulated application process. */
class SimApp implements AppProcess {
  readonly #process: SimProcess;
  readonly #users: SimProcess;
  readonly #sale: Sale;
  readonly #waiting = new Set<(result: PurchaseResult) => void>();
  readonly #clock = (): number => this.#process.nowMs;
  readonly #overtaken = new OvertakenReleases(this.#clock);
  #parts: ShopParts | undefined;

  constructor(process: SimProcess, users: SimProcess, sale: Sale) {
    this.#process = process;
    this.#users = users;
    this.#sale = sale;
  }

  get isAlive(): boolean {
    return !this.#process.crashed;
  }

  /** Injects the step's faults into the first process. */
  withFaults(node: RedisNode, at: 'stock' | 'lock', place: number): RedisNode {
    const { step, settings } = this.#sale;
    const processFaults = {
      crash: () => this.#die(),
      pause: (ms: number) => this.#process.block(ms),
      sleep: (ms: number) => this.#process.sleep(ms),
      delayed: () => this.#overtaken.delayed(),
    };
    const faults = place === 0 ? step.faults : [];
    return injectFaults(node, at, faults, { processFaults, ttlMs: settings.ttlMs });
  }

  async open(stock: Stock, open: (host: Host) => Promise<Backend | undefined>): Promise<void> {
    const { runtime, name } = this.#process;
    const host = createHost({ runtime, label: name });
    const backend = await open(host);
    const locks =
      backend === undefined ? undefined : locksOf(backend, host, this.#sale.settings.ttlMs);
    const [clock, overtaken] = [this.#clock, this.#overtaken];
    this.#parts = { stock, locks, runtime, clock, overtaken, workMs: workMsOf(this.#sale) };
  }

  buy(request: PurchaseRequest): Promise<PurchaseResult> {
    const parts = this.#parts;
    if (parts === undefined) throw new Error('the shop is not open');
    return new Promise((resolve) => {
      this.#waiting.add(resolve);
      const reply = (result: PurchaseResult): void => {
        // A reply of a crashed process is dropped.
        if (!this.isAlive) return;
        this.#users.deliver('answer', () => this.#settle(resolve, result), LATENCY_MS);
      };
      const receive = (): void =>
        void handle(STRATEGIES[this.#sale.step.strategy], request, parts).then(reply);
      this.#process.deliver('request', receive, LATENCY_MS);
    });
  }

  #settle(resolve: (result: PurchaseResult) => void, result: PurchaseResult): void {
    this.#waiting.delete(resolve);
    resolve(result);
  }

  #die(): void {
    this.#process.crash();
    for (const resolve of this.#waiting)
      this.#users.deliver(
        'reset',
        () => resolve({ outcome: 'no-reply', sections: [] }),
        LATENCY_MS,
      );
  }
}
