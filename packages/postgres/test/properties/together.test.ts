import type { AcquireOptions, Lease, Locks } from '@holdfast/core';
import { createHost, createLocks } from '@holdfast/core/backend';
import { Network, random, type SimProcess, World } from '@holdfast/harness/simulator';
import { loadSqlParser, SimPostgresServer, simPostgresDatabase } from '@holdfast/harness/stores';
import { migration, openPostgres } from '@holdfast/postgres';
import { describe, expect, test } from 'vitest';

await loadSqlParser();

const SEEDS = Array.from({ length: 4 }, (_, i) => `${i + 1}`);
const TTL_MS = 3_000;
const CALLERS = 10;
const TURNS = 6;
const PERMITS = 4;

type Held = Pick<Lease, 'remainingMs' | 'release'>;

interface Lock {
  acquire(options: AcquireOptions): Promise<Held>;
}

/** Two processes whose callers want the same key, over a network that loses and delays. */
class Crowd {
  readonly world: World = new World({ trace: false });
  readonly holds: { readonly lease: Held; readonly weight: number }[] = [];
  /** The largest number of owner values in one call. */
  largest = 0;
  heaviest = 0;
  grants = 0;
  readonly #network: Network;
  readonly #server: SimPostgresServer;
  readonly #next: () => number;

  constructor(seed: string) {
    const source = random(seed);
    this.#next = () => source.next();
    this.#network = new Network(this.world, { latencyMs: 2 });
    this.#server = new SimPostgresServer(this.world, 'pg', { schema: migration() });
    this.#network.rule(() => {
      const chance = this.#next();
      if (chance < 0.01) return 'drop';
      if (chance < 0.015) return 'reset';
      return chance < 0.1 ? { delayMs: 700 * this.#next() } : 'pass';
    });
  }

  async open(name: string): Promise<{ readonly process: SimProcess; readonly locks: Locks }> {
    const process = this.world.process(name);
    const host = createHost({ runtime: process.runtime, label: name });
    const port = simPostgresDatabase(process, this.#server, this.#network);
    const run = port.run.bind(port);
    port.run = (statement, args, options) => {
      const owners = String(args[2] ?? '').split('\t').length;
      if (statement.name !== 'keep') this.largest = Math.max(this.largest, owners);
      return run(statement, args, options);
    };
    const backend = await openPostgres({ database: port }, host);
    return { process, locks: createLocks(backend, host, { ttlMs: TTL_MS }) };
  }

  /** Lets the callers of two processes take their turns; `lockOf` gives the lock of each, and what a hold of it weighs. */
  async run(
    lockOf: (locks: Locks, caller: number) => readonly [Lock, weight: number],
  ): Promise<void> {
    await this.world.run(async () => {
      const callers: Promise<void>[] = [];
      for (const name of ['a', 'b']) {
        const { process, locks } = await this.open(name);
        for (let i = 0; i < CALLERS; i++) callers.push(this.call(process, ...lockOf(locks, i)));
      }
      await Promise.all(callers);
    });
  }

  /** One caller takes its turns; what fails is left. */
  async call(process: SimProcess, lock: Lock, weight: number): Promise<void> {
    for (let turn = 0; turn < TURNS; turn++) {
      const lease = await lock.acquire({ waitMs: 20_000 }).catch(() => undefined);
      if (lease === undefined) continue;
      const hold = { lease, weight };
      this.holds.push(hold);
      this.grants += 1;
      const valid = this.holds.filter((each) => each.lease.remainingMs() > 0);
      this.heaviest = Math.max(
        this.heaviest,
        valid.reduce((sum, each) => sum + each.weight, 0),
      );
      await process.sleep(60 * this.#next());
      this.holds.splice(this.holds.indexOf(hold), 1);
      await lease.release();
    }
  }
}

describe.each(SEEDS)('seed %s', (seed) => {
  test('calls of many callers go together, replies are lost or late, and no more permits are valid than there are', async () => {
    const crowd = new Crowd(seed);
    await crowd.run((locks, caller) => {
      const weight = (caller % 2) + 1;
      return [locks.semaphore('k', PERMITS).take(weight), weight];
    });

    expect(crowd.heaviest).toBe(PERMITS);
    expect(crowd.largest).toBeGreaterThan(2);
    expect(crowd.grants).toBeGreaterThan(CALLERS * TURNS);
  });

  test('the same of readers and writers: a writer is alone', async () => {
    const crowd = new Crowd(seed);
    await crowd.run((locks, caller) =>
      caller < 2 ? [locks.write('k'), 2 * CALLERS] : [locks.read('k'), 1],
    );

    expect(crowd.heaviest).toBe(2 * CALLERS);
    expect(crowd.largest).toBeGreaterThan(2);
    expect(crowd.grants).toBeGreaterThan(CALLERS * TURNS);
  });
});
