import { type Locks } from '@holdfast/core';
import { createHost, createLocks, type ListenableHost } from '@holdfast/core/backend';
import { Network, type SimProcess, World } from '@holdfast/harness/simulator';
import { SimZooKeeper, simOpenSession } from '@holdfast/harness/stores';
import { openZk } from '@holdfast/zk';
import { Proxy, ZooKeeperEnsemble } from '../../../harness/test/kit/real-servers.ts';
import { RealHistory } from '../../support/real-history.ts';

const TICK_MS = 500;
const LATENCY_MS = 1;
const LOOK_MS = 20;

/** Three ZooKeeper servers and clients of the recipe, simulated or real, and the faults that can happen to them. */
export interface RecipeStage {
  readonly history: RealHistory;
  /** A client on a way of its own to the servers, its requested session timeout in ms. */
  open(name: string, timeoutMs: number): Promise<Locks>;
  /** Drops everything between the client and all servers, silently. */
  cut(name: string): void;
  /** Messages in flight are lost, with their connections. */
  heal(name: string): void;
  /** The leader dies; resolves once another leads. */
  killLeader(): Promise<void>;
  /** Time passes there until it holds. */
  until(holds: () => boolean): Promise<void>;
  /** Lets a story happen on this stage, and cleans up. */
  play(story: (stage: RecipeStage) => Promise<void>): Promise<void>;
}

export class SimulatedStage implements RecipeStage {
  readonly #world = new World({ trace: false });
  readonly #network = new Network(this.#world, { latencyMs: LATENCY_MS });
  readonly #ensemble = new SimZooKeeper(this.#world, this.#network, { tickMs: TICK_MS });
  readonly #clients = new Map<string, SimProcess>();
  readonly #heals = new Map<string, readonly (() => void)[]>();
  readonly history = new RealHistory(() => this.#world.nowMs);

  async open(name: string, timeoutMs: number): Promise<Locks> {
    const process = this.#world.process(name);
    this.#clients.set(name, process);
    const host = createHost({ label: name, runtime: process.runtime });
    const open = simOpenSession(process, this.#ensemble, this.#network, { timeoutMs });
    return createLocks(await openZk({ open }, host), host);
  }

  cut(name: string): void {
    const process = this.#clients.get(name);
    if (process === undefined) throw new Error(`unknown client "${name}"`);
    const { servers } = this.#ensemble;
    this.#heals.set(
      name,
      servers.map((server) => this.#network.cut(process, server)),
    );
  }

  heal(name: string): void {
    for (const heal of this.#heals.get(name) ?? []) heal();
  }

  async killLeader(): Promise<void> {
    const { leader } = this.#ensemble;
    leader?.crash();
    while (this.#ensemble.leader === undefined) await this.#world.advance(LATENCY_MS);
  }

  async until(holds: () => boolean): Promise<void> {
    while (!holds()) await this.#world.advance(LATENCY_MS);
  }

  play(story: (stage: RecipeStage) => Promise<void>): Promise<void> {
    return this.#world.run(() => story(this));
  }
}

interface RealParty {
  readonly locks: Locks;
  readonly ways: readonly Proxy[];
}

export class RealStage implements RecipeStage {
  readonly history = new RealHistory();
  readonly #ensemble: ZooKeeperEnsemble;
  readonly #namespace: string;
  readonly #clients = new Map<string, RealParty>();

  /** Of servers that its caller starts and closes; stages may use them in turn, each in a namespace of its own. */
  constructor(ensemble: ZooKeeperEnsemble, namespace: string) {
    this.#ensemble = ensemble;
    this.#namespace = namespace;
  }

  static startServers(): Promise<ZooKeeperEnsemble> {
    return ZooKeeperEnsemble.start({ tickMs: TICK_MS });
  }

  async open(name: string, timeoutMs: number): Promise<Locks> {
    const { servers } = this.#ensemble;
    const ways = await Promise.all(servers.map(({ port }) => Proxy.start(port)));
    const host: ListenableHost = createHost({ label: name });
    const addresses = ways.map(({ port }) => `127.0.0.1:${port}`);
    const options = { servers: addresses, sessionTimeoutMs: timeoutMs, namespace: this.#namespace };
    const backend = await openZk(options, host);
    const locks = createLocks(backend, host);
    this.#clients.set(name, { locks, ways });
    return locks;
  }

  cut(name: string): void {
    for (const way of this.#waysOf(name)) way.cut();
  }

  heal(name: string): void {
    for (const way of this.#waysOf(name)) way.heal({ drop: true });
  }

  async killLeader(): Promise<void> {
    const leader = await this.#ensemble.leader();
    leader?.kill();
    const isLed = async (): Promise<boolean> => {
      const next = await this.#ensemble.leader();
      return next !== undefined && next !== leader;
    };
    while (!(await isLed())) await new Promise((done) => setTimeout(done, LOOK_MS));
  }

  async until(holds: () => boolean): Promise<void> {
    while (!holds()) await new Promise((done) => setTimeout(done, LOOK_MS));
  }

  async play(story: (stage: RecipeStage) => Promise<void>): Promise<void> {
    try {
      await story(this);
    } finally {
      const parties = [...this.#clients.values()];
      await Promise.all(parties.map(({ locks }) => locks.close({ timeoutMs: 100 })));
      await Promise.all(parties.flatMap(({ ways }) => ways.map((way) => way.close())));
    }
  }

  #waysOf(name: string): readonly Proxy[] {
    const party = this.#clients.get(name);
    if (party === undefined) throw new Error(`unknown client "${name}"`);
    return party.ways;
  }
}
