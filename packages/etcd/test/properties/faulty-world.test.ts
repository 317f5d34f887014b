import { type Lease, LockLostError, type Locks } from '@holdfast/core';
import { createHost, createLocks } from '@holdfast/core/backend';
import { openEtcd } from '@holdfast/etcd';
import { Network, type SimProcess, World } from '@holdfast/harness/simulator';
import { SimEtcd, SimEtcdClient, type SimEtcdServer } from '@holdfast/harness/stores';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { runs } from '../../../../test/support/runs.ts';

const TTL_MS = 4_000;
const CLIENTS = 3;
const LONGEST_MS = 4 * TTL_MS;
/** Longer than any lease, and than any fault: what was late has arrived, and what was left has expired. */
const REST_MS = 90_000;

const SERVERS = 3;
const client = fc.nat(CLIENTS - 1);
const server = fc.nat(SERVERS - 1);
const faults = fc.oneof(
  fc.record({ kind: fc.constant('reset' as const), client }),
  fc.record({ kind: fc.constant('late' as const), client }),
  fc.record({ kind: fc.constant('pause' as const), client }),
  fc.record({ kind: fc.constant('cut' as const), client }),
  fc.record({
    kind: fc.constant('jump' as const),
    client,
    jumpMs: fc.integer({ min: -60_000, max: 60_000 }),
  }),
  fc.record({ kind: fc.constant('stall' as const), client, n: fc.nat(20) }),
  fc.record({ kind: fc.constant('restart' as const), server }),
  fc.record({ kind: fc.constant('stop' as const), server }),
  fc.record({ kind: fc.constant('lead' as const) }),
  fc.record({ kind: fc.constant('alone' as const), server, oneWay: fc.boolean() }),
  fc.record({ kind: fc.constant('compact' as const) }),
);

const schedule = fc.record({
  size: fc.constantFrom(1, SERVERS),
  lagMs: fc.constantFrom(0, 0, 20, 50),
  waits: fc.array(fc.nat(400), { minLength: 9, maxLength: 9 }),
  holds: fc.array(fc.nat(8_000), { minLength: 9, maxLength: 9 }),
  faults: fc.array(fc.record({ fault: faults, afterMs: fc.nat(6_000), ms: fc.nat(LONGEST_MS) }), {
    minLength: 3,
    maxLength: 8,
  }),
});

type Schedule = typeof schedule extends fc.Arbitrary<infer T> ? T : never;
type Fault = Schedule['faults'][number]['fault'];

/** A client that is paused between the grant and its return is told that it has lost the lock, and tries again. */
async function acquire(locks: Locks): Promise<Lease> {
  for (;;) {
    try {
      return await locks.acquire('k', { waitMs: 3_600_000 });
    } catch (error) {
      if (!(error instanceof LockLostError)) throw error;
    }
  }
}

/** One server or three, and clients that lock one key in turns. */
class Play {
  readonly world: World = new World({ trace: false });
  readonly network: Network = new Network(this.world, { latencyMs: 1 });
  readonly etcd: SimEtcd;
  readonly processes: readonly SimProcess[];
  readonly overlaps: string[] = [];
  readonly tokens: bigint[] = [];
  readonly #leases = new Set<Lease>();
  #healers = 0;

  constructor({ size, lagMs }: Schedule) {
    this.etcd = new SimEtcd(this.world, this.network, { size, lagMs });
    this.processes = Array.from({ length: CLIENTS }, (_, i) => this.world.process(`c${i}`));
  }

  async run({ faults: planned, holds, waits }: Schedule): Promise<void> {
    const clients = this.processes.map(async (process, i) => {
      const locks = await this.#open(process);
      for (let turn = 0; turn < holds.length; turn += CLIENTS) {
        await process.sleep(waits[turn + i] ?? 0);
        const lease = await acquire(locks);
        this.#grantedTo(lease);
        await process.sleep(holds[turn + i] ?? 0);
        await lease.release();
      }
      await process.sleep(REST_MS);
      await locks.close();
    });
    for (const { fault, afterMs, ms } of planned) {
      await this.world.advance(afterMs);
      this.#inject(fault, ms);
    }
    await Promise.all(clients);
  }

  async #open(process: SimProcess): Promise<Locks> {
    const host = createHost({ runtime: process.runtime, label: process.name });
    const etcd = new SimEtcdClient(
      process,
      this.etcd.servers,
      this.network,
      this.processes.indexOf(process),
    );
    return createLocks(await openEtcd({ client: etcd }, host), host, { ttlMs: TTL_MS });
  }

  #grantedTo(lease: Lease): void {
    this.tokens.push(lease.fencingToken ?? 0n);
    for (const other of this.#leases) {
      const leftMs = other.remainingMs();
      if (leftMs > 0) this.overlaps.push(`${other.owner} has ${leftMs} ms left: ${lease.owner}`);
      else this.#leases.delete(other);
    }
    this.#leases.add(lease);
  }

  #inject(fault: Fault, ms: number): void {
    if (fault.kind === 'compact') return this.etcd.compact();
    if (fault.kind === 'lead') return this.etcd.leader?.stop(ms);
    const { servers } = this.etcd;
    if ('server' in fault) {
      const [one, ...others] = [...servers.slice(fault.server), ...servers.slice(0, fault.server)];
      if (fault.kind === 'restart') one?.restart({ data: 'durable', downMs: ms });
      else if (fault.kind === 'stop') one?.stop(ms);
      else this.#cut(one, others, ms, fault.oneWay);
      return;
    }
    const process = this.processes[fault.client];
    if (process === undefined) return;
    const { name } = process;
    if (fault.kind === 'pause') process.pause(ms);
    else if (fault.kind === 'jump') process.jumpWall(fault.jumpMs);
    else if (fault.kind === 'stall') process.stallBefore('now', fault.n + 1, ms);
    else if (fault.kind === 'cut') this.#cut(process, servers, ms);
    else if (fault.kind === 'reset') {
      const lose = this.network.rule(({ to, way }) =>
        to === name && way === 'reply' ? 'reset' : 'pass',
      );
      this.#healIn(ms, lose);
    } else {
      // Its requests arrive a minute late, long after it has given them up.
      const delay = this.network.rule(({ from, way }) =>
        from === name && way === 'request' ? { delayMs: 60_000 } : 'pass',
      );
      this.#healIn(ms, delay);
    }
  }

  #cut(
    one: SimProcess | SimEtcdServer | undefined,
    others: readonly SimEtcdServer[],
    ms: number,
    oneWay = false,
  ): void {
    if (one === undefined) return;
    for (const other of others) this.#healIn(ms, this.network.cut(one, other, { oneWay }));
  }

  #healIn(ms: number, heal: () => void): void {
    this.#healers += 1;
    this.world.process(`healer ${this.#healers}`).runtime.timer(ms, heal);
  }
}

test('whatever fails and heals, no two leases are valid at once, everybody gets its turns, and nothing is left', async () => {
  await fc.assert(
    fc.asyncProperty(schedule, async (each) => {
      const play = new Play(each);

      await play.world.run(() => play.run(each));

      expect(play.overlaps).toEqual([]);
      expect(play.tokens).toHaveLength(each.holds.length);
      expect(play.tokens).toEqual(play.tokens.toSorted((a, b) => (a < b ? -1 : 1)));
      for (const { store } of play.etcd.servers) expect(store.keys).toEqual([]);
    }),
    { numRuns: runs(100) },
  );
}, 120_000);
