import type { Lease, Locks } from '@holdfast/core';
import { createHost, createLocks } from '@holdfast/core/backend';
import {
  Network,
  type Random,
  random,
  type SimProcess,
  SimRedisServer,
  simRedisNode,
  World,
} from '@holdfast/harness/simulator';
import type { RedisNode } from '@holdfast/redis/port';
import { describe, expect, test } from 'vitest';
import { openRedisSimple } from '../../src/index.ts';
import { type Mutation, mutated } from '../support/mutated-node.ts';

const SEEDS = Array.from({ length: 40 }, (_, seed) => seed);
const TTL_MS = 1_000;
const LATENCY_MS = 1;
const CALLERS = 5;
const TURNS = 5;
const HOLD_MS = [0, 0, 1, 4, 300] as const;

/** Processes whose callers want the same key all the time, on one server. */
class Crowd {
  readonly world: World;
  readonly network: Network;
  readonly server: SimRedisServer;
  readonly wrong = new Set<string>();
  /** The scripts that were sent, by name. */
  readonly scripts = new Map<string, number>();
  /** The callers of each process, in the order in which they got the key. */
  readonly served: string[] = [];
  readonly #mutation: Mutation | undefined;
  readonly #leases = new Set<Lease>();
  readonly #opened: Locks[] = [];
  #lastToken = 0n;

  constructor(seed: number, mutation?: Mutation) {
    this.world = new World({ seed, trace: false, guard: true });
    this.network = new Network(this.world, { latencyMs: LATENCY_MS });
    this.server = new SimRedisServer(this.world, 'n1');
    this.#mutation = mutation;
  }

  /** Messages are lost, with their connection or alone, and late. */
  lose(draw: Random): void {
    this.network.rule(() => {
      const chance = draw.below(1_000);
      if (chance < 6) return 'drop';
      if (chance < 12) return 'reset';
      return chance < 60 ? { delayMs: draw.below(chance < 24 ? 3_000 : 40) } : 'pass';
    });
  }

  async open(name: string): Promise<{ readonly process: SimProcess; readonly locks: Locks }> {
    const process = this.world.process(name);
    const host = createHost({ runtime: process.runtime, label: name });
    const node = this.#counted(simRedisNode(process, this.server, this.network));
    const backend = await openRedisSimple({ node: mutated(node, this.#mutation) }, host);
    const locks = createLocks(backend, host, { ttlMs: TTL_MS });
    this.#opened.push(locks);
    return { process, locks };
  }

  /** One caller takes the key and gives it back; what fails is left. */
  async turn(
    { process, locks }: { readonly process: SimProcess; readonly locks: Locks },
    who: string,
    holdMs: number,
  ): Promise<void> {
    const lease = await locks.acquire('k', { waitMs: 30_000 }).catch(() => undefined);
    if (lease === undefined) return;
    this.served.push(who);
    this.#enter(lease);
    if (holdMs > 0) await process.sleep(holdMs);
    await lease.release();
  }

  /** What is wrong once all locks are closed. */
  async close(): Promise<readonly string[]> {
    await this.world.run(() => Promise.all(this.#opened.map((locks) => locks.close())));
    await this.world.settle();
    if (this.world.pendingTimers() > 0) this.wrong.add('a timer was left');
    return [...this.wrong];
  }

  #enter(lease: Lease): void {
    for (const other of this.#leases) {
      if (other.remainingMs() <= 0) this.#leases.delete(other);
      else this.wrong.add('two callers hold the key at once');
    }
    if (lease.remainingMs() > 0) this.#leases.add(lease);
    const token = lease.fencingToken ?? 0n;
    if (token <= this.#lastToken) this.wrong.add('a token is not larger than the one before');
    this.#lastToken = token;
  }

  #counted(node: RedisNode): RedisNode {
    const script = node.script.bind(node);
    return Object.assign(node, {
      script: (...call: Parameters<typeof script>) => {
        const [{ name }] = call;
        this.scripts.set(name, (this.scripts.get(name) ?? 0) + 1);
        return script(...call);
      },
    });
  }
}

/** Two processes whose callers take their turns over a network that loses and delays. */
async function crowded(seed: number, mutation?: Mutation): Promise<Crowd> {
  const crowd = new Crowd(seed, mutation);
  const draw = random(`passing on ${seed}`);
  await crowd.world.run(async () => {
    const a = await crowd.open('a');
    const b = await crowd.open('b');
    crowd.lose(draw);
    const caller = async (at: typeof a, who: string): Promise<void> => {
      for (let turn = 0; turn < TURNS; turn++)
        await crowd.turn(at, who, HOLD_MS[draw.below(HOLD_MS.length)] ?? 0);
    };
    const callers = Array.from({ length: CALLERS }, (_, n) => [
      caller(a, `a${n}`),
      caller(b, `b${n}`),
    ]);
    await Promise.all(callers.flat());
  });
  return crowd;
}

test('callers of one process pass a key on by one script each, in their order, and a process beside it gets its turns', async () => {
  const crowd = new Crowd(1);
  await crowd.world.run(async () => {
    const [a, b] = [await crowd.open('a'), await crowd.open('b')];
    const turns = Array.from({ length: 40 }, (_, n) => crowd.turn(a, `a${n}`, 1));
    await Promise.all([
      ...turns,
      ...Array.from({ length: 4 }, (_, n) => crowd.turn(b, `b${n}`, 1)),
    ]);
  });

  const { served, scripts } = crowd;
  expect(served.filter((who) => who.startsWith('a'))).toEqual(
    Array.from({ length: 40 }, (_, n) => `a${n}`),
  );
  expect(served.indexOf('b3')).toBeLessThan(20);
  expect(scripts.get('adopt')).toBeGreaterThan(30);
  expect(scripts.get('release')).toBeLessThan(10);
  expect(await crowd.close()).toEqual([]);
});

test('a caller for several keys replaces no hold: the key is released alone, and both are taken by one script', async () => {
  const crowd = new Crowd(1);
  await crowd.world.run(async () => {
    const { locks } = await crowd.open('a');
    const lease = await locks.acquire('k');
    const both = locks.acquire(['k', 'l']);
    await lease.release();
    await (await both).release();
  });

  expect(Object.fromEntries(crowd.scripts)).toEqual({
    acquire: 1,
    release: 3,
    'acquire-all': 1,
  });
});

/** A hold ends while its process is paused, another process gets the key, and then the first one passes its hold on. */
async function lateRelease(mutation?: Mutation): Promise<Lease> {
  const crowd = new Crowd(1, mutation);
  return await crowd.world.run(async () => {
    const [a, b] = [await crowd.open('a'), await crowd.open('b')];
    const late = await a.locks.acquire('k');
    const next = a.locks.acquire('k').catch(() => undefined);
    crowd.server.engine.execute(['DEL', 'holdfast:v1:{k}:lock']);
    const lease = await b.locks.acquire('k');
    expect(await late.release()).toEqual({
      kind: mutation === undefined ? 'not-held' : 'released',
    });
    await b.process.sleep(TTL_MS / 2);
    void next;
    return lease;
  });
}

test('a hold that is gone is passed on to nobody, and the next caller waits for the key', async () => {
  expect((await lateRelease()).state).toBe('held');

  const replacesAny = { script: 'adopt', was: 'if held ~= exported then', is: 'if not held then' };
  expect((await lateRelease(replacesAny)).state).toBe('lost');
});

describe('over a network that loses and delays', () => {
  test(`in ${SEEDS.length} worlds no two callers hold the key at once, tokens grow, and every call settles`, async () => {
    let passed = 0;
    for (const seed of SEEDS) {
      const crowd = await crowded(seed);
      passed += crowd.scripts.get('adopt') ?? 0;

      expect(await crowd.close(), `crowded(${seed})`).toEqual([]);
      expect(crowd.served.length, `crowded(${seed})`).toBeGreaterThan(CALLERS * TURNS);
    }
    expect(passed).toBeGreaterThan(10 * SEEDS.length);
  });

  test.each<[string, Mutation, string]>([
    [
      'draws no new token',
      { script: 'adopt', was: 'token = last + 1 end', is: 'end token = last' },
      'a token is not larger than the one before',
    ],
  ])('a script that %s is caught', async (_, mutation, complaint) => {
    const caught = new Set<string>();
    for (const seed of SEEDS) {
      if (caught.has(complaint)) break;
      const crowd = await crowded(seed, mutation);
      for (const each of await crowd.close()) caught.add(each);
    }

    expect([...caught]).toContain(complaint);
  });
});
