import {
  LOCK_EVENT_TYPES,
  type LockEvent,
  type LockEventOf,
  type LockEventType,
  type Locks,
  type LocksOptions,
} from '@holdfast/core';
import {
  createHost,
  createLocks,
  type ListenableHost,
  MemoryStore,
  openMemory,
} from '@holdfast/core/backend';
import { type SimProcess, World, type WorldOptions } from '@holdfast/harness/simulator';
import { FakeBackend, type Plan } from './fake-backend.ts';

/** A process that locks through the in-memory store of its bench. */
export interface Station {
  readonly process: SimProcess;
  readonly locks: Locks;
}

/** A process that locks through a backend with planned replies. */
export interface FakeStation extends Station {
  readonly backend: FakeBackend;
}

/** A world with one in-memory store, any number of processes that lock through it, and all their events. */
export class Bench {
  readonly world: World;
  readonly store: MemoryStore;
  readonly events: LockEvent[] = [];
  readonly #stations: Station[] = [];

  constructor(options: WorldOptions = {}) {
    this.world = new World(options);
    const server = this.world.process('store');
    this.store = new MemoryStore(() => server.clocks.monotonicMs);
  }

  /** A process that reaches the store in `latencyMs` each way; 0 is the direct link. A reply may take longer. */
  async open(
    name: string,
    options: LocksOptions = {},
    latencyMs = 0,
    replyMs: () => number = () => latencyMs,
  ): Promise<Station> {
    const process = this.world.process(name);
    const host = this.#host(process);
    const link = {
      call: <T>(label: string, effect: () => T) =>
        process.call(label, effect, { requestMs: latencyMs, replyMs: replyMs() }),
      deliver: (label: string, run: () => void) => process.deliver(label, run, latencyMs),
    };
    const backend = await openMemory(
      { store: this.store, ...(latencyMs > 0 ? { link } : {}) },
      host,
    );
    return this.#add({ process, locks: createLocks(backend, host, options) });
  }

  fake(plan: Plan = {}, options: LocksOptions = {}): FakeStation {
    const process = this.world.process('p');
    const backend = new FakeBackend(process, plan);
    const locks = createLocks(backend, this.#host(process), options);
    return this.#add({ process, backend, locks });
  }

  /** The reported events of one type. */
  reported<T extends LockEventType>(type: T): LockEventOf<T>[] {
    return this.events.filter((event): event is LockEventOf<T> => event.type === type);
  }

  /** The types of all reported events, in order. */
  get types(): LockEventType[] {
    return this.events.map(({ type }) => type);
  }

  /** Runs the test, closes its locks, and checks that no timer is left. */
  async run(main: () => Promise<void>): Promise<void> {
    await this.world.run(main);
    const alive = this.#stations.filter(({ process }) => !process.crashed);
    await this.world.run(async () => {
      await Promise.all(alive.map(({ locks }) => locks.close()));
    });
    await this.world.settle();
    const left = this.world.pendingTimers();
    if (left > 0) throw new Error(`${left} timers were left behind`);
  }

  #add<S extends Station>(station: S): S {
    this.#stations.push(station);
    return station;
  }

  #host(process: SimProcess): ListenableHost {
    const host = createHost({ runtime: process.runtime, label: process.name });
    for (const type of LOCK_EVENT_TYPES) host.on(type, (event) => this.events.push(event));
    return host;
  }
}

/** Waits for `count` microtasks. */
export async function microtasks(count: number): Promise<void> {
  for (let i = 0; i < count; i++) await Promise.resolve();
}

/** The error that `promise` rejects with. */
export async function rejection(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  throw new Error('it was not rejected');
}
