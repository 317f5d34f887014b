import { createHost, createLocks, type LockEvent, type Locks, type LocksOptions, MemoryStore, openMemory } from '@holdfast/core';
import { type SimProcess, World } from '@holdfast/sim';

/** A world with one in-memory store and any number of processes that lock through it. */
export class Bench {
  readonly world: World;
  readonly store: MemoryStore;
  readonly events: LockEvent[] = [];

  constructor(world: World = new World()) {
    this.world = world;
    const server = world.process('store');
    this.store = new MemoryStore(() => server.clocks.monotonicMs);
  }

  /** A process that reaches the store in `latencyMs` each way; 0 is the direct link. */
  async open(name: string, options: LocksOptions = {}, latencyMs = 0): Promise<{ process: SimProcess; locks: Locks }> {
    const process = this.world.process(name);
    const types = ['contended', 'acquired', 'renewed', 'lost', 'released', 'leaked', 'orphan', 'forced', 'warning'] as const;
    const host = createHost({ runtime: process.runtime, label: name });
    for (const type of types) host.on(type, (event) => this.events.push(event));
    const latency = { requestMs: latencyMs, replyMs: latencyMs };
    const link = {
      call: <T>(label: string, effect: () => T) => process.call(label, effect, latency),
      deliver: (label: string, run: () => void) => process.deliver(label, run, latencyMs),
    };
    const backend = await openMemory({ store: this.store, ...(latencyMs > 0 ? { link } : {}) }, host);
    return { process, locks: createLocks(backend, host, options) };
  }
}
