import { type Lease, type Locks } from '@holdfast/core';
import { createHost, createLocks } from '@holdfast/core/backend';
import { Network, type SimProcess, World } from '@holdfast/harness/simulator';
import { SimZooKeeper, simOpenSession } from '@holdfast/harness/stores';
import { openZk } from '@holdfast/zk';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { runs } from '../../../../test/support/runs.ts';

const T_MS = 4_000;
const TICK_MS = 500;
const LAG_MS = 300;
/** A client finds another server within this time. */
const LONG_LAG_MS = 1_200;
/** Long compared with that lag: a proof of life needs a few replies of the leader within it. */
const LONG_T_MS = 12_000;
/** Often, so that containers vanish between two contenders. */
const REAPED_MS = 2_000;
const CLIENTS = 3;
/** The time without a connection after which another session replaces the first. */
const LONGEST_MS = 4 * T_MS;
const LOCKS = '/holdfast/v1/locks';

/** An ensemble of three whose followers lag, and processes with the backend open. */
class Fixture {
  readonly world: World = new World({ trace: false });
  readonly network: Network = new Network(this.world, { latencyMs: 1 });
  readonly ensemble: SimZooKeeper;

  constructor(lagMs: number, containerCheckMs?: number) {
    this.ensemble = new SimZooKeeper(this.world, this.network, {
      tickMs: TICK_MS,
      syncLimit: 5,
      lagMs,
      ...(containerCheckMs !== undefined && { containerCheckMs }),
    });
  }

  async open(
    process: SimProcess,
    servers = this.ensemble.servers,
    timeoutMs = T_MS,
  ): Promise<Locks> {
    const host = createHost({ runtime: process.runtime, label: process.name });
    const options = { timeoutMs, servers };
    const session = simOpenSession(process, this.ensemble, this.network, options);
    return createLocks(await openZk({ open: session }, host), host);
  }

  /** The nodes in queues, at the leader. */
  contenders(): readonly string[] {
    const paths = this.ensemble.leader?.paths() ?? [];
    return paths.filter((path) => path.startsWith(`${LOCKS}/`) && path.includes('-lock-'));
  }
}

test('a creation whose answer was lost is found again, also by a follower that has not seen it yet', async () => {
  const place = new Fixture(LONG_LAG_MS);
  await place.world.run(async () => {
    const process = place.world.process('a');
    const [one, other] = place.ensemble.servers;
    if (one === undefined || other === undefined) throw new Error('no followers');
    const locks = await place.open(process, [one, other], LONG_T_MS);
    await (await locks.acquire('k')).release();
    // Both have caught up: the other follower is not behind what the client has seen.
    await place.world.advance(2 * LONG_LAG_MS);
    const acquiring = locks.acquire('k');
    await place.world.advance(5);
    // The creation is on its way, and no follower has applied it: now the connection is lost, and the next one goes to the
    // other follower.
    let lost = 0;
    place.network.rule(({ from, way, label }) => {
      if (from !== 'a' || way !== 'request' || label !== 'sync' || lost > 0) return 'pass';
      lost += 1;
      return 'reset';
    });
    await locks.health();

    const lease = await acquiring;

    expect(lost).toBe(1);
    // The second creation ever: there was no third.
    expect(place.contenders()).toEqual([expect.stringMatching(/-lock-0000000001$/)]);
    await lease.release();
  });
});

const faults = fc.oneof(
  fc.record({ kind: fc.constant('reset' as const), client: fc.nat(CLIENTS - 1) }),
  fc.record({ kind: fc.constant('pause' as const), client: fc.nat(CLIENTS - 1) }),
  fc.record({
    kind: fc.constant('cut' as const),
    client: fc.nat(CLIENTS - 1),
    server: fc.nat(2),
  }),
  fc.record({ kind: fc.constant('alone' as const), client: fc.nat(CLIENTS - 1) }),
  fc.record({ kind: fc.constant('peers' as const), server: fc.nat(2), other: fc.nat(2) }),
  fc.record({ kind: fc.constant('restart' as const), server: fc.nat(2) }),
  fc.record({ kind: fc.constant('stop' as const), server: fc.nat(2) }),
);

const schedule = fc.record({
  lagMs: fc.constantFrom(0, LAG_MS),
  waits: fc.array(fc.nat(400), { minLength: 9, maxLength: 9 }),
  holds: fc.array(fc.nat(8_000), { minLength: 9, maxLength: 9 }),
  faults: fc.array(fc.record({ fault: faults, afterMs: fc.nat(6_000), ms: fc.nat(LONGEST_MS) }), {
    minLength: 3,
    maxLength: 8,
  }),
});

type Schedule = typeof schedule extends fc.Arbitrary<infer T> ? T : never;

class Play {
  readonly place: Fixture;
  readonly processes: readonly SimProcess[];
  readonly overlaps: string[] = [];
  granted = 0;
  readonly #leases = new Set<Lease>();

  constructor(lagMs: number) {
    this.place = new Fixture(lagMs, REAPED_MS);
    this.processes = Array.from({ length: CLIENTS }, (_, i) => this.place.world.process(`c${i}`));
  }

  async run({ faults: planned, holds, waits }: Schedule): Promise<void> {
    const clients = this.processes.map(async (process, i) => {
      const locks = await this.place.open(process);
      for (let turn = 0; turn < holds.length; turn += CLIENTS) {
        await this.#sleep(process, waits[turn + i] ?? 0);
        const lease = await locks.acquire('k', { waitMs: 3_600_000 });
        this.#grantedTo(lease);
        await this.#sleep(process, holds[turn + i] ?? 0);
        await lease.release();
      }
      await this.#sleep(process, 30_000);
      await locks.close();
    });
    for (const { fault, afterMs, ms } of planned) {
      await this.place.world.advance(afterMs);
      this.#break(fault, ms);
    }
    await Promise.all(clients);
  }

  #grantedTo(lease: Lease): void {
    this.granted += 1;
    for (const other of this.#leases) {
      const leftMs = other.remainingMs();
      if (leftMs > 0) this.overlaps.push(`${other.owner} has ${leftMs} ms left: ${lease.owner}`);
      else this.#leases.delete(other);
    }
    this.#leases.add(lease);
  }

  #break(fault: Schedule['faults'][number]['fault'], ms: number): void {
    const { ensemble, network } = this.place;
    const process = this.processes['client' in fault ? fault.client : 0];
    const server = ensemble.servers['server' in fault ? fault.server : 0];
    const other = ensemble.servers['other' in fault ? fault.other : 0];
    if (process === undefined || server === undefined || other === undefined) return;
    const healIn = (heal: () => void): void => void this.#after(ms, heal);
    if (fault.kind === 'pause') process.pause(ms);
    else if (fault.kind === 'cut') healIn(network.cut(process, server));
    else if (fault.kind === 'alone') {
      for (const each of ensemble.servers) healIn(network.cut(process, each));
    } else if (fault.kind === 'peers' && server !== other) healIn(network.cut(server, other));
    else if (fault.kind === 'restart') server.restart({ data: 'durable', downMs: ms });
    else if (fault.kind === 'stop') server.stop(ms);
    else if (fault.kind === 'reset') {
      healIn(
        network.rule(({ to, way }) => (to === process.name && way === 'reply' ? 'reset' : 'pass')),
      );
    }
  }

  #after(ms: number, run: () => void): () => void {
    return this.place.world.process(`healer ${(this.#healers += 1)}`).runtime.timer(ms, run);
  }

  #healers = 0;

  #sleep({ runtime }: SimProcess, ms: number): Promise<void> {
    return new Promise((resume) => {
      runtime.timer(ms, resume, { awaited: true });
    });
  }
}

test('whatever fails and heals, no two leases are valid at once, everybody gets its turns, and nothing is left', async () => {
  await fc.assert(
    fc.asyncProperty(schedule, async (each) => {
      const play = new Play(each.lagMs);

      await play.place.world.run(() => play.run(each));

      expect(play.overlaps).toEqual([]);
      expect(play.granted).toBe(each.holds.length);
      expect(play.place.contenders()).toEqual([]);
    }),
    { numRuns: runs(100) },
  );
}, 120_000);
