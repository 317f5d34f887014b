import {
  type AcquireOptions,
  type Lease,
  LOCK_EVENT_TYPES,
  LockError,
  type LockEvent,
  type Locks,
} from '@holdfast/core';
import { createHost, createLocks, MemoryStore, openMemory } from '@holdfast/core/backend';
import {
  type Hold,
  type Random,
  Recorder,
  random,
  type SimProcess,
  World,
} from '@holdfast/harness/simulator';
import { Deferred } from './fake-backend.ts';
import { overlaps } from './overlaps.ts';

const KEYS = ['k', 'l'] as const;
const TTL_MS = [100, 300, 2_000, 10_000] as const;
const WAIT_MS = [0, 20, 500, 5_000, 60_000] as const;
const HOLD_MS = [0, 0, 1, 30, 400, 5_000] as const;
const LATENCY_MS = [0, 0, 1, 7, 40, 300] as const;
const STANDSTILL_MS = [5, 90, 700, 3_000, 40_000] as const;
/** Long past every ttl here. */
const MINUTE_MS = 60_000;
const STALLED = ['now', 'timer', 'acquire', 'renew', 'release'] as const;
const ABORTED = 'aborted by the chaos';

/** Everything of one schedule. */
interface Scene {
  readonly world: World;
  readonly store: MemoryStore;
  readonly draw: Random;
  readonly recorder: Recorder;
  readonly wrong: string[];
  /** True when no message is late any more. */
  calm: boolean;
}

/** One process, its locks, and what it reported. */
interface Client {
  readonly process: SimProcess;
  readonly locks: Locks;
  readonly events: LockEvent[];
  /** By contender id. */
  readonly holds: Map<string, Hold>;
  /** Leases under which something runs now. */
  readonly believed: Map<Lease, Hold>;
  readonly death: Deferred<void>;
  closed: boolean;
}

/**
 * Runs a schedule made from one seed: processes contend for two keys over a network of changing latency, and are
 * aborted, paused, blocked, suspended, closed and killed. Returns the violations, as sentences.
 */
export async function chaos(seed: number): Promise<string[]> {
  const scene = newScene(seed);
  const { world, draw, recorder, wrong, store } = scene;
  const clients: Client[] = [];
  for (let i = 0; i < 2 + draw.below(2); i++) clients.push(await open(scene, `p${i}`));
  for (let i = draw.below(5); i > 0; i--) injectFault(scene, pick(draw, clients));

  await world.run(async () => {
    const workers = clients.flatMap((client) => [work(scene, client), work(scene, client)]);
    await Promise.all(workers);
  });
  await world.settle();

  if (world.pendingTimers() > 0) wrong.push(`${world.pendingTimers()} timers were left`);
  wrong.push(...overlaps(recorder.history()), ...clients.flatMap(wrongEnds));
  const careless = clients.some(({ closed, process }) => closed || process.crashed);
  for (const key of KEYS)
    if (!careless && store.inspect(key) !== undefined) wrong.push(`${key} stayed taken`);
  scene.calm = true;
  await world.advance(10 * MINUTE_MS);
  await world.run(async () => {
    for (const client of clients) await checkQueues(scene, client);
  });
  return wrong;
}

function newScene(seed: number): Scene {
  const world = new World({ seed, trace: false, guard: true, maxEvents: 300_000 });
  const server = world.process('store');
  const store = new MemoryStore(() => server.clocks.monotonicMs);
  const draw = random(`chaos ${seed}`);
  return { world, store, draw, recorder: new Recorder(world), wrong: [], calm: false };
}

async function open(scene: Scene, name: string): Promise<Client> {
  const { world, store, draw, recorder } = scene;
  const process = world.process(name, { driftPpm: draw.below(8_000) - 4_000 });
  const host = createHost({ runtime: process.runtime, label: name });
  const latencyMs = (): number =>
    !scene.calm && draw.below(50) === 0 ? MINUTE_MS : pick(draw, LATENCY_MS);
  const link = {
    call: <T>(label: string, effect: () => T) =>
      process.call(label, effect, { requestMs: latencyMs(), replyMs: latencyMs() }),
    deliver: (label: string, run: () => void) => process.deliver(label, run, latencyMs()),
  };
  const backend = await openMemory({ store, link }, host);
  const death = new Deferred<void>();
  const events: LockEvent[] = [];
  const holds = new Map<string, Hold>();
  const believed = new Map<Lease, Hold>();
  const locks = createLocks(backend, host);
  const client: Client = { process, locks, events, holds, believed, death, closed: false };
  for (const type of LOCK_EVENT_TYPES) host.on(type, (event) => note(recorder, client, event));
  return client;
}

function note(recorder: Recorder, client: Client, event: LockEvent): void {
  client.events.push(event);
  const hold = 'contender' in event ? client.holds.get(event.contender) : undefined;
  if (hold === undefined) return;
  if (event.type === 'renewed') recorder.renewed(hold, event);
  if (event.type === 'lost') recorder.lost(hold, event.reason);
}

async function work(scene: Scene, client: Client): Promise<void> {
  const { draw, wrong } = scene;
  for (let i = 0; i < 4 && !client.process.crashed && !client.closed; i++) {
    const tries = once(scene, client).catch((error: unknown) => {
      if (error !== ABORTED && !(error instanceof LockError)) wrong.push(String(error));
    });
    await Promise.race([tries, client.death.promise]);
    await Promise.race([client.process.sleep(pick(draw, HOLD_MS)), client.death.promise]);
  }
}

/** One acquisition, one way or another. */
async function once(scene: Scene, client: Client): Promise<void> {
  const { draw } = scene;
  const { locks, process } = client;
  const key = pick(draw, KEYS);
  const hold = { ttlMs: pick(draw, TTL_MS), renew: draw.below(4) > 0, ...aborting(draw, process) };
  const options: AcquireOptions = { ...hold, waitMs: pick(draw, WAIT_MS) };
  const body = (lease: Lease): Promise<void> => believe(scene, client, lease);
  const way = draw.below(6);
  if (way === 0) return locks.use(key, body, options);
  if (way === 1)
    return void (await locks.tryUse(key, body, { ...hold, keepMs: 1 + draw.below(5_000) }));
  const lease = await (way === 2 ? locks.tryAcquire(key, hold) : locks.acquire(key, options));
  if (lease === null) return;
  try {
    await body(lease);
  } finally {
    if (way === 3) process.collect(lease);
    else await lease.release();
  }
}

function aborting(draw: Random, process: SimProcess): { signal?: AbortSignal } {
  if (draw.below(3) > 0) return {};
  const controller = new AbortController();
  void process.sleep(draw.below(800)).then(() => controller.abort(ABORTED));
  return { signal: controller.signal };
}

/** The acts of a holder: it works, extends, blocks, reads its lease. */
async function believe(scene: Scene, client: Client, lease: Lease): Promise<void> {
  const { draw, recorder } = scene;
  const { process, holds, believed } = client;
  const hold = recorder.acquire(process, lease.key);
  believed.set(lease, hold);
  recorder.granted(hold, { remainingMs: lease.remainingMs() }, lease.fencingToken);
  holds.set(lease.owner.split(':')[0] ?? '', hold);
  try {
    for (let i = draw.below(3); i > 0; i--) {
      if (draw.below(3) === 0) await lease.extend(pick(draw, TTL_MS));
      if (draw.below(6) === 0) process.block(pick(draw, STANDSTILL_MS));
      look(recorder, client);
      await process.sleep(pick(draw, HOLD_MS));
      look(recorder, client);
    }
  } finally {
    believed.delete(lease);
    recorder.release(hold);
  }
}

/** Records that every lease that is held now claims to be valid now. */
function look(recorder: Recorder, { believed }: Client): void {
  for (const [lease, hold] of believed) if (lease.state === 'held') recorder.claimed(hold);
}

/** One fault, some time. Never a wall clock set back on a machine that sleeps: no lease survives both. */
function injectFault({ world, draw, recorder }: Scene, client: Client): void {
  const { process, locks } = client;
  const ms = pick(draw, STANDSTILL_MS);
  const faults: (() => void)[] = [
    () => process.pause(ms),
    () => process.suspend(ms),
    () => process.jumpWall(ms),
    () => process.stallBefore(pick(draw, STALLED), 1 + draw.below(20), ms),
    () => {
      client.closed = true;
      void process.sleep(0).then(() => locks.close());
    },
    () => {
      recorder.crashed(process);
      process.crash();
      client.death.resolve();
    },
  ];
  // The first ones are the most dangerous to locks.
  const fault = faults[Math.min(draw.below(faults.length), draw.below(faults.length))];
  world.at(draw.below(6_000), () => {
    if (process.crashed) return;
    fault?.();
    // As soon as it runs again.
    void process.sleep(0).then(() => look(recorder, client));
  });
}

/** Checks that every acquired lease ended exactly once, and that every wait was reported at most once. */
function wrongEnds({ process, events, closed }: Client): string[] {
  if (process.crashed) return [];
  const count = (type: LockEvent['type'], contender: string): number =>
    events.filter(
      (event) => event.type === type && 'contender' in event && event.contender === contender,
    ).length;
  return events.flatMap((event) => {
    if (event.type === 'contended' && count('contended', event.contender) > 1)
      return [`${event.contender} was contended more than once`];
    if (event.type !== 'acquired') return [];
    const id = event.contender;
    const ends = count('lost', id) + count('released', id);
    if (count('leaked', id) > count('lost', id)) return [`${id} leaked, and was not lost`];
    // A retained key is left as it is when its locks are closed.
    return ends === 1 || (ends === 0 && closed) ? [] : [`${id} ended ${ends} times`];
  });
}

/** Detects a queue that does not advance: every client must be able to acquire both keys. */
async function checkQueues({ wrong }: Scene, { locks, closed, process }: Client): Promise<void> {
  if (closed || process.crashed) return;
  for (const key of KEYS) {
    const complaint = await complaintAbout(locks, key);
    if (complaint !== undefined) wrong.push(`${process.name} cannot acquire ${key}: ${complaint}`);
  }
}

/** Stalls that have not happened yet may happen now, hence several attempts. */
async function complaintAbout(locks: Locks, key: string): Promise<string | undefined> {
  let complaint: string | undefined;
  for (let tries = 0; tries < 5; tries++) {
    try {
      const lease = await locks.acquire(key);
      await lease.release();
      return undefined;
    } catch (error) {
      complaint = String(error);
    }
  }
  return complaint;
}

function pick<T>(draw: Random, list: readonly T[]): T {
  const item = list[draw.below(list.length)];
  if (item === undefined) throw new Error('nothing to pick from');
  return item;
}
