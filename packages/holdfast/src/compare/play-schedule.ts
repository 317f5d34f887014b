import {
  createHost,
  createLocks,
  type Lease,
  type Locks,
  MemoryStore,
  openMemory,
} from '@holdfast/core';
import { type Hold, Recorder, type SimProcess, World } from '@holdfast/sim';
import { Counter, type Reading } from './counter.ts';
import type { History } from './evidence.ts';
import { type Round, type Schedule, TTL_MS } from './schedule.ts';

const KEY = 'counter';
/** Each way, to the store as to the resource. */
const LATENCY = { requestMs: 1, replyMs: 1 };

/** Plays a schedule on the memory backend, or without a lock. A pause stalls the striker; a crash ends it. */
export async function playSchedule(
  schedule: Schedule,
  options: { readonly isLocked: boolean; readonly fatal: boolean; readonly seed: number },
): Promise<History> {
  const world = new World({ seed: options.seed, trace: false });
  const scene = new Scene(world, schedule, options.fatal);
  const clients = schedule.clients.map(async (rounds, index) => {
    const process = world.process(`client ${index + 1}`);
    const client = new Client(scene, process, index);
    return { client, rounds, locks: options.isLocked ? await locksOf(scene, process) : undefined };
  });
  await world.run(async () => {
    const ready = await Promise.all(clients);
    await Promise.all(ready.map(({ client, rounds, locks }) => client.work(rounds, locks)));
  });
  return scene.recorder.history();
}

/** The backend of this process; its store stands elsewhere, as a server's would. */
async function locksOf({ store }: Scene, process: SimProcess): Promise<Locks> {
  const host = createHost({ runtime: process.runtime, label: process.name });
  const link = {
    call: <T>(label: string, effect: () => T) => process.call(label, effect, LATENCY),
    deliver: (label: string, run: () => void) => process.deliver(label, run, LATENCY.replyMs),
  };
  return createLocks(await openMemory({ store, link }, host), host, { ttlMs: TTL_MS });
}

/** What the clients of one schedule share. */
class Scene {
  readonly recorder: Recorder;
  readonly counter: Counter = new Counter();
  readonly store: MemoryStore;
  readonly #strike: Schedule['strike'];
  readonly #fatal: boolean;

  constructor(world: World, { strike }: Schedule, fatal: boolean) {
    this.recorder = new Recorder(world);
    this.store = new MemoryStore(() => world.nowMs);
    this.#strike = strike;
    this.#fatal = fatal;
  }

  /** Lets the fault strike where the schedule says so; true when the process is dead afterwards. */
  strike(process: SimProcess, client: number, round: number): boolean {
    if (this.#strike?.client !== client || this.#strike.round !== round) return false;
    if (this.#fatal) {
      this.recorder.crashed(process);
      process.crash();
      return true;
    }
    this.recorder.paused(process, this.#strike.ms);
    process.stallBefore('write', 1, this.#strike.ms);
    return false;
  }
}

/** One client: it waits its turn, reads, thinks, makes sure that it still holds, and writes. */
class Client {
  readonly #scene: Scene;
  readonly #process: SimProcess;
  readonly #index: number;

  constructor(scene: Scene, process: SimProcess, index: number) {
    this.#scene = scene;
    this.#process = process;
    this.#index = index;
  }

  async work(rounds: readonly Round[], locks: Locks | undefined): Promise<void> {
    for (const [n, round] of rounds.entries()) {
      await this.#process.sleep(round.idleMs);
      const isAlive =
        locks === undefined ? await this.#bare(round, n) : await this.#underLock(locks, round, n);
      if (!isAlive) return;
    }
  }

  #bare(round: Round, n: number): Promise<boolean> {
    const hold = { id: `${this.#process.name}/${n}`, process: this.#process, key: KEY };
    return this.#update(hold, round, n, undefined);
  }

  async #underLock(locks: Locks, round: Round, n: number): Promise<boolean> {
    const { recorder } = this.#scene;
    const hold = recorder.acquire(this.#process, KEY);
    const deaf = this.#listen(locks, hold);
    const lease = await locks.acquire(KEY, { waitMs: Number.POSITIVE_INFINITY });
    recorder.granted(hold, { remainingMs: lease.remainingMs() }, lease.fencingToken);
    recorder.enter(hold);
    const isAlive = await this.#update(hold, round, n, lease);
    if (!isAlive) return false;
    recorder.exit(hold);
    deaf();
    recorder.release(hold);
    recorder.released(hold, (await lease.release()).kind);
    return true;
  }

  /** Writes down what becomes of the lease while it is held. */
  #listen(locks: Locks, hold: Hold): () => void {
    const { recorder } = this.#scene;
    const deaf = [
      locks.on('renewed', ({ remainingMs }) => recorder.renewed(hold, { remainingMs })),
      locks.on('lost', ({ reason }) => recorder.lost(hold, reason)),
    ];
    return () => deaf.forEach((end) => end());
  }

  /** Read, think, check, write; false when the process died of it. */
  async #update(hold: Hold, round: Round, n: number, lease: Lease | undefined): Promise<boolean> {
    const token = lease?.fencingToken;
    const reading = await this.#process.call(
      'read',
      () => this.#scene.counter.read(token),
      LATENCY,
    );
    await this.#process.sleep(round.thinkMs);
    if (lease !== undefined && lease.state !== 'held') return true;
    if (this.#scene.strike(this.#process, this.#index, n)) return false;
    await this.#process.call('write', () => this.#write(hold, reading, token), LATENCY);
    return true;
  }

  #write(hold: Hold, reading: Reading, token: bigint | undefined): void {
    const plain = reading.plain + 1;
    const fenced = reading.fenced === null ? null : reading.fenced + 1;
    const taken = this.#scene.counter.write({ plain, fenced }, token);
    const { recorder } = this.#scene;
    recorder.write(hold, {
      resource: 'counter',
      fenced: false,
      accepted: true,
      value: plain,
      readValue: reading.plain,
    });
    if (taken.fenced === null) return;
    const values = fenced === null ? {} : { value: fenced, readValue: fenced - 1 };
    recorder.write(hold, {
      resource: 'fenced counter',
      fenced: true,
      accepted: taken.fenced,
      token,
      ...values,
    });
  }
}
