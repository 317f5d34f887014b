import { LockError, type Locks, LockTimeoutError } from '@holdfast/core';
import {
  type Backend,
  createHost,
  createLocks,
  type Host,
  MemoryStore,
  openMemory,
} from '@holdfast/core/backend';
import { type Random, random, type SimProcess, World } from '@holdfast/harness/simulator';

const KEYS = ['a', 'b', 'c', 'd'] as const;
const TTL_MS = [300, 2_000, 10_000] as const;
/** Longer than all that the others can do meanwhile: who waits so long waits in a circle. */
const LONG_MS = 300_000;
const WAIT_MS = [0, 20, 500, 5_000, LONG_MS] as const;
const HOLD_MS = [0, 1, 30, 400, 5_000] as const;
const LATENCY_MS = [0, 0, 1, 7, 40] as const;
const PAUSE_MS = [5, 90, 700, 3_000, 40_000] as const;
const ABORTED = 'aborted by the schedule';

/** What the search needs of a lease on several keys. */
export interface SeveralLease {
  readonly state: 'held' | 'lost' | 'released';
  readonly fencingTokens: ReadonlyMap<string, bigint | undefined>;
  release(): Promise<unknown>;
}

export interface SeveralOptions {
  readonly ttlMs: number;
  readonly waitMs: number;
  readonly signal?: AbortSignal;
}

/** A way to take several keys: core's, or one with a mistake. */
export type TakeAll = (
  locks: Locks,
  keys: readonly string[],
  options: SeveralOptions,
) => Promise<SeveralLease>;

/** The store that the clients share. */
export interface SeveralStore {
  open(process: SimProcess, host: Host): Promise<Backend>;
  /** What stands under a key; undefined if it is free. */
  stored(key: string): { readonly owner: string; readonly token: bigint } | undefined;
}

interface Client {
  readonly process: SimProcess;
  readonly locks: Locks;
  /** The contenders that won in the current call. */
  readonly won: Set<string>;
}

interface Scene {
  readonly world: World;
  readonly store: SeveralStore;
  readonly draw: Random;
  readonly takeAll: TakeAll;
  readonly wrong: Set<string>;
  crashed: boolean;
}

/**
 * Runs a schedule made from one seed: clients take random sets of four keys, in random order, while messages are late and
 * clients are paused, suspended, aborted and killed. Returns what went wrong, as sentences.
 */
export async function several(
  seed: number,
  takeAll: TakeAll,
  newStore: (world: World, draw: Random) => SeveralStore = memoryStore,
): Promise<string[]> {
  const world = new World({ seed, trace: false, guard: true, maxEvents: 100_000 });
  const draw = random(`several ${seed}`);
  const store = newStore(world, draw);
  const scene: Scene = { world, store, draw, takeAll, wrong: new Set(), crashed: false };
  const clients: Client[] = [];
  await world.run(async () => {
    for (let at = 0; at < 3; at++) clients.push(await open(scene, `p${at}`));
  });
  for (let at = draw.below(4); at > 0; at--) injectFault(scene, pick(draw, clients));
  try {
    await world.run(() => Promise.all(clients.map((client) => work(scene, client))));
    const alive = clients.filter(({ process }) => !process.crashed);
    await world.run(() => Promise.all(alive.map(({ locks }) => locks.close())));
    await world.settle();
  } catch (error) {
    return [...scene.wrong, `not every call settled: ${String(error)}`];
  }
  for (const key of KEYS)
    if (!scene.crashed && store.stored(key) !== undefined) scene.wrong.add(`${key} stayed taken`);
  if (!scene.crashed && world.pendingTimers() > 0)
    scene.wrong.add(`${world.pendingTimers()} timers were left`);
  return [...scene.wrong];
}

function memoryStore(world: World, draw: Random): SeveralStore {
  const server = world.process('store');
  const store = new MemoryStore(() => server.clocks.monotonicMs);
  const ms = (): number => latencyMs(draw);
  return {
    open: (process, host) => {
      const link = {
        call: <T>(label: string, effect: () => T) =>
          process.call(label, effect, { requestMs: ms(), replyMs: ms() }),
        deliver: (label: string, run: () => void) => process.deliver(label, run, ms()),
      };
      return openMemory({ store, link }, host);
    },
    stored: (key) => store.inspect(key),
  };
}

/** The delay of one message. */
export function latencyMs(draw: Random): number {
  return draw.below(60) === 0 ? 3_000 : pick(draw, LATENCY_MS);
}

async function open({ world, store, draw }: Scene, name: string): Promise<Client> {
  const process = world.process(name, { driftPpm: draw.below(8_000) - 4_000 });
  const host = createHost({ runtime: process.runtime, label: name });
  const backend = await store.open(process, host);
  const won = new Set<string>();
  host.on('acquired', ({ contender }) => won.add(contender));
  return { process, locks: createLocks(backend, host), won };
}

async function work(scene: Scene, client: Client): Promise<void> {
  const { draw } = scene;
  for (let at = 0; at < 4 && !client.process.crashed; at++) {
    const done = once(scene, client);
    // A process that is killed never settles its calls.
    await Promise.race([done, crashOf(client.process)]);
    if (!client.process.crashed)
      await Promise.race([client.process.sleep(pick(draw, HOLD_MS)), crashOf(client.process)]);
  }
}

const crashes = new WeakMap<SimProcess, { readonly promise: Promise<void>; resolve(): void }>();

function crashOf(process: SimProcess): Promise<void> {
  let crash = crashes.get(process);
  if (crash === undefined) {
    let resolve!: () => void;
    const promise = new Promise<void>((done) => {
      resolve = done;
    });
    crash = { promise, resolve };
    crashes.set(process, crash);
  }
  return crash.promise;
}

async function once(scene: Scene, client: Client): Promise<void> {
  const { draw, takeAll, wrong } = scene;
  const { process, locks, won } = client;
  won.clear();
  const keys = setOf(draw);
  const options = { ttlMs: pick(draw, TTL_MS), waitMs: pick(draw, WAIT_MS) };
  const signal = aborting(draw, process);
  try {
    const lease = await takeAll(locks, keys, signal ? { ...options, signal } : options);
    for (let at = draw.below(3); at >= 0; at--) {
      check(scene, client, lease);
      await process.sleep(pick(draw, HOLD_MS));
      check(scene, client, lease);
    }
    await lease.release();
  } catch (error) {
    if (error !== ABORTED && !(error instanceof LockError)) wrong.add(String(error));
    if (!(error instanceof LockTimeoutError)) return;
    checkNoneLeft(scene, client);
    if (options.waitMs === LONG_MS) wrong.add(`not every call settled: ${String(error)}`);
  }
}

/** A lease that believes to be held is: the store has each of its keys, under its token. */
function check({ store, wrong }: Scene, { process }: Client, lease: SeveralLease): void {
  if (lease.state !== 'held') return;
  for (const [key, token] of lease.fencingTokens)
    if (store.stored(key)?.token !== token)
      wrong.add(`${process.name} believes to hold ${key}, and does not`);
}

/** All or nothing: after a wait that failed, nothing that it had taken is stored. */
function checkNoneLeft({ store, wrong }: Scene, { process, won }: Client): void {
  for (const key of KEYS)
    if (won.has(store.stored(key)?.owner.split(':')[0] ?? ''))
      wrong.add(`${process.name} got a timeout, and kept ${key}`);
}

function injectFault(scene: Scene, { process }: Client): void {
  const { draw, world } = scene;
  const ms = pick(draw, PAUSE_MS);
  const faults = [
    () => process.pause(ms),
    () => process.suspend(ms),
    () => process.jumpWall(ms),
    () => {
      scene.crashed = true;
      process.crash();
      void crashOf(process);
      crashes.get(process)?.resolve();
    },
  ];
  const fault = pick(draw, faults);
  world.at(draw.below(4_000), () => {
    if (!process.crashed) fault();
  });
}

/** One to three different keys, in any order. */
function setOf(draw: Random): string[] {
  const left: string[] = [...KEYS];
  return Array.from({ length: 1 + draw.below(3) }, () =>
    left.splice(draw.below(left.length), 1),
  ).flat();
}

function aborting(draw: Random, process: SimProcess): AbortSignal | undefined {
  if (draw.below(4) > 0) return undefined;
  const controller = new AbortController();
  void process.sleep(draw.below(800)).then(() => controller.abort(ABORTED));
  return controller.signal;
}

function pick<T>(draw: Random, list: readonly T[]): T {
  const item = list[draw.below(list.length)];
  if (item === undefined) throw new Error('nothing to pick from');
  return item;
}
