import type { Clock } from '../../../sim/clock.ts';
import type { HoldLog } from '../../../sim/hold-log.ts';
import type { Kernel } from '../../../sim/kernel.ts';
import type { RestartOptions } from '../../../sim/schedule/cluster.ts';
import type { RedisEngine } from './engine.ts';
import type { HolderLog, ServerHolders } from './holder-log.ts';
import type { EngineSnapshot } from './keyspace.ts';
import { ExpiryWatch, HoldWatch } from './storage-watches.ts';

/** Observers of a server's data; each is optional. */
export interface StorageObservers {
  readonly holds?: HoldLog | undefined;
  readonly holders?: HolderLog | undefined;
}

/** All data of a master. */
export interface ReplicaSnapshot {
  readonly data: EngineSnapshot;
  /** The holders of its keys. */
  readonly holders: ReadonlyMap<string, string> | undefined;
}

/** A replica, as its master sees it. */
export interface KnownReplica {
  /** The master's offset up to which it is known to have everything; undefined while it is being synchronised. */
  readonly acknowledged: number | undefined;
  /** Asks it what it has; the reply takes a while. */
  requestAcknowledgement(): void;
}

/** The events of a server that replication listens to. */
export interface StorageListener {
  readonly wrote: (effect: readonly string[]) => void;
  readonly published: (effect: readonly string[]) => void;
  /** The server restarted. */
  readonly started: () => void;
}

/** The part of a server that outlives a run: its log, its role, and its replicas. Reports changes to the trace. */
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
  /** The number of writes that it has sent to its replicas, or would have. */
  offset = 0;
  readonly replicas: Set<KnownReplica> = new Set();
  /** Notified when a replica has acknowledged. */
  waits: { acknowledged(): void } | undefined;

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

  /** Returns a function that removes the listener. */
  listen(listener: StorageListener): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Fills the engine of a new run. */
  fill(engine: RedisEngine): void {
    this.#engine = engine;
    this.#log.load(engine);
    engine.role = this.#role;
    this.traceExpiries();
    this.#recordHolds();
  }

  started(): void {
    this.#traceLoad();
    for (const { started } of this.#listeners) started();
  }

  /** The number of replicas that are known to have everything up to this offset. */
  replicasAt(offset: number): number {
    let count = 0;
    for (const { acknowledged = -1 } of this.replicas) if (acknowledged >= offset) count++;
    return count;
  }

  requestAcknowledgements(): void {
    for (const replica of this.replicas) replica.requestAcknowledgement();
  }

  wrote(effect: readonly string[]): void {
    this.offset++;
    this.#traceWrite(effect);
    this.#log.append(effect);
    if (this.#engine !== undefined) this.#holds?.wrote(effect, this.#engine);
    for (const { wrote } of this.#listeners) wrote(effect);
  }

  /** Sends to replicas; a publication is not logged. */
  published(effect: readonly string[]): void {
    for (const { published } of this.#listeners) published(effect);
  }

  /** To be called after every command. */
  traceExpiries(): void {
    if (this.#engine !== undefined) this.#watch?.update(this.#engine);
  }

  clockChanged(): void {
    this.#watch?.reset();
    this.#recordHolds();
  }

  died(): void {
    this.#watch?.clear();
    this.#holds?.clear();
    this.#holders?.died();
  }

  /** Drops the data that a restart loses. */
  lose({ data, lost = 1 }: RestartOptions): void {
    if (data === 'empty') this.#log.clear();
    if (data === 'torn') this.#log.tear(lost);
  }

  become(role: RedisEngine['role']): void {
    this.#kernel.record(this.#name, role);
    if (role === 'master') this.#holds?.promoted();
    this.#role = role;
    if (this.#engine !== undefined) this.#engine.role = role;
    this.#recordHolds();
  }

  /** A write of the master has arrived. */
  apply(effect: readonly string[]): void {
    this.#engine?.apply(effect);
    this.#traceWrite(effect);
    this.#log.append(effect);
    this.traceExpiries();
  }

  /** A publication at the master has arrived. */
  applyPublication(effect: readonly string[]): void {
    this.#engine?.apply(effect);
  }

  /** Returns all data, for a replica. */
  copy(): ReplicaSnapshot {
    return { data: this.#engine?.snapshot() ?? { entries: [] }, holders: this.#holders?.now };
  }

  /** Replaces all data by the master's. */
  load({ data, holders }: ReplicaSnapshot): void {
    if (this.#engine === undefined) return;
    this.#engine.restore(data);
    this.#traceLoad(holders);
    this.#log.start(this.#engine);
    this.traceExpiries();
  }

  /** A replica's data grants no lock. */
  #recordHolds(): void {
    if (this.#engine === undefined || this.#holds === undefined) return;
    if (this.#role === 'master') this.#holds.recordAll(this.#engine);
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

  /** Traces the keys that can expire, after a restart or after the master's data was loaded. */
  #traceLoad(holders?: ReadonlyMap<string, string>): void {
    if (!this.#kernel.trace.isKept || this.#engine === undefined) return;
    const keys = Array.from(this.#engine.expiries(), ({ key }) => key);
    this.#kernel.record(this.#name, 'loaded', undefined, undefined, { detail: keys.join(' ') });
    this.#holders?.loaded(this.#engine.snapshot(), holders);
  }
}

type Effect = readonly string[];

/** A server's data on disk: a snapshot, and every effect since then. */
class DataLog {
  #base: EngineSnapshot | undefined;
  #effects: Effect[] = [];

  append(effect: Effect): void {
    this.#effects.push(effect);
  }

  /** Restarts from the engine's data. */
  start(engine: RedisEngine): void {
    this.#base = engine.snapshot();
    this.#effects = [];
  }

  clear(): void {
    this.#base = undefined;
    this.#effects = [];
  }

  /** Drops the last `count` effects: a power loss before they were written. */
  tear(count: number): void {
    this.#effects.length = Math.max(0, this.#effects.length - count);
  }

  /** Loads everything into an empty engine. */
  load(engine: RedisEngine): void {
    if (this.#base !== undefined) engine.restore(this.#base);
    for (const effect of this.#effects) engine.apply(effect);
  }
}
