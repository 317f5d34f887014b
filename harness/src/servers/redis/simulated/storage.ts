import type { Clock } from '../../../sim/clock.ts';
import type { HoldLog } from '../../../sim/hold-log.ts';
import type { Kernel } from '../../../sim/kernel.ts';
import type { RestartOptions } from '../../../sim/restart.ts';
import type { RedisEngine } from './engine.ts';
import type { HolderLog } from './holder-log.ts';
import type { EngineSnapshot } from './keyspace.ts';
import type { ServerHolders } from './server-holders.ts';
import { ExpiryWatch, HoldWatch } from './storage-watches.ts';

/** Who looks on as what a server has changes, where somebody does. */
export interface StorageObservers {
  readonly holds?: HoldLog | undefined;
  readonly holders?: HolderLog | undefined;
}

/** Everything that a master has. */
export interface ReplicaSnapshot {
  readonly data: EngineSnapshot;
  /** Whom it took for the holders of its keys. */
  readonly holders: ReadonlyMap<string, string> | undefined;
}

/** What replication wants to know of a server. */
export interface StorageListener {
  readonly wrote: (effect: readonly string[]) => void;
  readonly published: (effect: readonly string[]) => void;
  /** It came back. */
  readonly started: () => void;
}

/** What a server has that outlives a run of it: its log, its role, and who copies it. Tells a trace what changed. */
export class Storage {
  readonly #name: string;
  readonly #kernel: Kernel;
  readonly #log = new DataLog();
  readonly #watch: ExpiryWatch | undefined;
  readonly #holds: HoldWatch | undefined;
  readonly #holders: ServerHolders | undefined;
  readonly #listeners = new Set<StorageListener>();
  #role: RedisEngine['role'] = 'master';
  #engine: RedisEngine | undefined;

  constructor(
    name: string,
    kernel: Kernel,
    clock: Clock,
    { holds, holders }: StorageObservers = {},
  ) {
    this.#name = name;
    this.#kernel = kernel;
    if (kernel.trace.isKept)
      this.#watch = new ExpiryWatch(kernel, clock, (...expired) => this.#traceExpiry(...expired));
    this.#holders = holders?.of(name);
    if (holds !== undefined) this.#holds = new HoldWatch(name, kernel, clock, holds);
  }

  /** Returns what stops the telling. */
  listen(listener: StorageListener): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Fills the engine of a new run. */
  fill(engine: RedisEngine): void {
    this.#engine = engine;
    this.#log.load(engine);
    engine.role = this.#role;
    this.look();
    this.#lookAtHolds();
  }

  started(): void {
    this.#traceLoad();
    for (const { started } of this.#listeners) started();
  }

  wrote(effect: readonly string[]): void {
    this.#traceWrite(effect);
    this.#log.append(effect);
    if (this.#engine !== undefined) this.#holds?.wrote(effect, this.#engine);
    for (const { wrote } of this.#listeners) wrote(effect);
  }

  /** Goes to replicas, and into no log. */
  published(effect: readonly string[]): void {
    for (const { published } of this.#listeners) published(effect);
  }

  /** To be called after every command. */
  look(): void {
    if (this.#engine !== undefined) this.#watch?.look(this.#engine);
  }

  clockChanged(): void {
    this.#watch?.reset();
    this.#lookAtHolds();
  }

  died(): void {
    this.#watch?.clear();
    this.#holds?.clear();
    this.#holders?.died();
  }

  /** What is gone by the time it comes back. */
  lose({ data, lost = 1 }: RestartOptions): void {
    if (data === 'empty') this.#log.clear();
    if (data === 'torn') this.#log.tear(lost);
  }

  become(role: RedisEngine['role']): void {
    this.#kernel.record(this.#name, role);
    if (role === 'master') this.#holds?.promoted();
    this.#role = role;
    if (this.#engine !== undefined) this.#engine.role = role;
    this.#lookAtHolds();
  }

  /** A write of the master has arrived. */
  apply(effect: readonly string[]): void {
    this.#engine?.apply(effect);
    this.#traceWrite(effect);
    this.#log.append(effect);
    this.look();
  }

  /** A publication at the master has arrived. */
  hear(effect: readonly string[]): void {
    this.#engine?.apply(effect);
  }

  /** Everything that is here, for a replica. */
  copy(): ReplicaSnapshot {
    return { data: this.#engine?.snapshot() ?? { entries: [] }, holders: this.#holders?.now };
  }

  /** Everything that the master has, in place of what is here. */
  load({ data, holders }: ReplicaSnapshot): void {
    if (this.#engine === undefined) return;
    this.#engine.restore(data);
    this.#traceLoad(holders);
    this.#log.start(this.#engine);
    this.look();
  }

  /** What a replica has nobody is granted anything by. */
  #lookAtHolds(): void {
    if (this.#engine === undefined || this.#holds === undefined) return;
    if (this.#role === 'master') this.#holds.look(this.#engine);
    else this.#holds.clear();
  }

  #traceWrite(effect: readonly string[]): void {
    if (!this.#kernel.trace.isKept) return;
    const [command = '', ...args] = effect;
    this.#kernel.record(this.#name, 'wrote', command, undefined, { detail: args.join(' ') });
    this.#holders?.wrote(effect);
  }

  #traceExpiry(key: string, value: string): void {
    this.#kernel.record(this.#name, 'expire', key, undefined, { detail: value });
    this.#holders?.expired(key);
  }

  /** What it holds after it has come back, or has taken everything from its master: the keys that can expire. */
  #traceLoad(holders?: ReadonlyMap<string, string>): void {
    if (!this.#kernel.trace.isKept || this.#engine === undefined) return;
    const keys = Array.from(this.#engine.expiries(), ({ key }) => key);
    this.#kernel.record(this.#name, 'loaded', undefined, undefined, { detail: keys.join(' ') });
    this.#holders?.loaded(this.#engine.snapshot(), holders);
  }
}

type Effect = readonly string[];

/** What a server has on its disk: a snapshot, and every effect since then. */
class DataLog {
  #base: EngineSnapshot | undefined;
  #effects: Effect[] = [];

  append(effect: Effect): void {
    this.#effects.push(effect);
  }

  /** Begins anew from what the engine holds. */
  start(engine: RedisEngine): void {
    this.#base = engine.snapshot();
    this.#effects = [];
  }

  clear(): void {
    this.#base = undefined;
    this.#effects = [];
  }

  /** Forgets the last `count` effects: a power loss before they were written. */
  tear(count: number): void {
    this.#effects.length = Math.max(0, this.#effects.length - count);
  }

  /** Loads everything into an empty engine. */
  load(engine: RedisEngine): void {
    if (this.#base !== undefined) engine.restore(this.#base);
    for (const effect of this.#effects) engine.apply(effect);
  }
}
