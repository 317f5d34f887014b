import {
  type Backend,
  type Host,
  type MemoryLink,
  MemoryStore,
  openMemory,
} from '@holdfast/core/backend';
import { type SimProcess, World } from '@holdfast/harness/simulator';
import type { BackendUnderTest } from '../../src/index.ts';

/** One way to the store. */
const LATENCY_MS = 2;
const CAPABILITIES = {
  lease: 'per-call-ttl',
  timeAuthority: 'process',
  consistency: 'cp',
  fencing: 'strict',
  queue: 'none',
  wakeUp: 'push',
  modes: ['shared', 'permits'],
} as const satisfies Backend['capabilities'];

/** Changes that turn the correct lock into a broken one. */
export interface Spoilt {
  readonly capabilities?: Partial<Backend['capabilities']>;
  readonly backend?: (backend: Backend, at: { host: Host; store: MemoryStore }) => Backend;
  readonly store?: (nowMs: () => number) => MemoryStore;
  readonly open?: typeof openMemory;
}

/** The in-memory backend in a virtual world: its store is a process of its own, a network away. */
export function memorySubject(spoilt: Spoilt = {}): BackendUnderTest {
  const { open = openMemory } = spoilt;
  const world = new World({ trace: false });
  const server = world.process('store');
  const nowMs = (): number => server.clocks.monotonicMs;
  const store = spoilt.store?.(nowMs) ?? new MemoryStore(nowMs);
  const network = new MemoryNetwork(store);
  const processes = new Map<string, SimProcess>();
  const processOf = (name: string): SimProcess => {
    const process = processes.get(name) ?? world.process(name);
    processes.set(name, process);
    return process;
  };
  return {
    capabilities: { ...CAPABILITIES, ...spoilt.capabilities },
    runtimeOf: (name) => processOf(name).runtime,
    async open(host) {
      const link = network.linkOf(processOf(host.label));
      const backend = network.watching(await open({ store, link }, host));
      return spoilt.backend?.(backend, { host, store }) ?? backend;
    },
    play: (run) => world.run(run),
    slackMs: 0,
    faults: network,
  };
}

/** The network between the processes and the store: it delays, loses replies, and stops. */
class MemoryNetwork {
  readonly #store: MemoryStore;
  readonly #mute = new Set<string>();
  readonly #keys = new Set<string>();
  #held: (() => void)[] | undefined;
  /** The process whose next request is held back. */
  #heldBack: string | undefined;
  readonly #late: (() => void)[] = [];

  constructor(store: MemoryStore) {
    this.#store = store;
  }

  linkOf(process: SimProcess): MemoryLink {
    const latency = { requestMs: LATENCY_MS, replyMs: LATENCY_MS };
    return {
      call: (label, effect) => {
        const isMute = this.#mute.has(process.name);
        const isLate = this.#heldBack === process.name;
        if (isLate) this.#heldBack = undefined;
        const sent = process.call(label, () => this.#when(effect, isLate), latency);
        return isMute ? sent.then(() => new Promise<never>(() => undefined)) : sent;
      },
      deliver: (label, run) => process.deliver(label, run, LATENCY_MS),
    };
  }

  /** Wraps the backend and records its keys, so that they can be lost. */
  watching(backend: Backend): Backend {
    const contend: Backend['contend'] = (request) => {
      this.#keys.add(request.key);
      return backend.contend(request);
    };
    return { ...backend, contend };
  }

  readonly stop = async (): Promise<void> => {
    this.#held ??= [];
  };

  readonly resume = async (): Promise<void> => {
    const held = this.#held ?? [];
    this.#held = undefined;
    for (const run of held) run();
  };

  readonly loseReplies = async (process: string): Promise<void> => {
    this.#mute.add(process);
  };

  readonly restoreReplies = async (process: string): Promise<void> => {
    this.#mute.delete(process);
  };

  readonly holdBack = async (process: string): Promise<void> => {
    this.#heldBack = process;
  };

  readonly letThrough = async (): Promise<void> => {
    for (const run of this.#late.splice(0)) run();
  };

  readonly restartEmpty = async (): Promise<void> => {
    for (const key of this.#keys) this.#store.force(key);
  };

  #when<T>(effect: () => T, isLate: boolean): T | Promise<T> {
    const held = isLate ? this.#late : this.#held;
    if (held === undefined) return effect();
    return new Promise((resolve) => held.push(() => resolve(effect())));
  }
}
