import type { Lease, Locks } from '@holdfast/core';
import { createHost, createLocks } from '@holdfast/core/backend';
import { Network, type SimProcess, World } from '@holdfast/harness/simulator';
import { loadSqlParser, SimPostgresServer, simPostgresDatabase } from '@holdfast/harness/stores';
import { migration, openPostgres } from '@holdfast/postgres';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { runs } from '../../../../test/support/runs.ts';

await loadSqlParser();

const TTL_MS = 4_000;
const CLIENTS = 3;
const TURNS = 9;
/** Longer than a lease, and than a connection in doubt is kept. */
const LONGEST_MS = 20_000;
const LATEST_MS = 60_000;

const client = fc.nat(CLIENTS - 1);
const faults = fc.oneof(
  fc.record({ kind: fc.constant('lost replies' as const), client }),
  fc.record({ kind: fc.constant('late requests' as const), client, byMs: fc.nat(LATEST_MS) }),
  fc.record({ kind: fc.constant('pause' as const), client }),
  fc.record({ kind: fc.constant('cut' as const), client }),
  fc.record({ kind: fc.constant('wall clock' as const), client }),
  fc.record({ kind: fc.constant('server stop' as const) }),
  fc.record({ kind: fc.constant('server restart' as const) }),
  fc.record({ kind: fc.constant('server clock back' as const) }),
);

const schedule = fc.record({
  waits: fc.array(fc.nat(400), { minLength: TURNS, maxLength: TURNS }),
  holds: fc.array(fc.nat(8_000), { minLength: TURNS, maxLength: TURNS }),
  faults: fc.array(fc.record({ fault: faults, afterMs: fc.nat(6_000), ms: fc.nat(LONGEST_MS) }), {
    minLength: 3,
    maxLength: 8,
  }),
});

type Schedule = typeof schedule extends fc.Arbitrary<infer T> ? T : never;

/** Clients that take turns on one server, and what goes wrong meanwhile. */
class Play {
  readonly world: World = new World({ trace: false });
  readonly network: Network = new Network(this.world, { latencyMs: 1 });
  readonly server: SimPostgresServer = new SimPostgresServer(this.world, 'pg', {
    schema: migration(),
  });
  readonly processes: readonly SimProcess[];
  readonly wrong: string[] = [];
  granted = 0;
  readonly #leases = new Set<Lease>();
  #lastToken = 0n;
  #healers = 0;

  constructor() {
    this.processes = Array.from({ length: CLIENTS }, (_, i) => this.world.process(`c${i}`));
  }

  async run({ faults: planned, holds, waits }: Schedule): Promise<void> {
    const clients = this.processes.map(async (process, i) => {
      const locks = await this.#open(process);
      for (let turn = 0; turn < TURNS; turn += CLIENTS) {
        await this.#sleep(process, waits[turn + i] ?? 0);
        const lease = await locks.acquire('k', { waitMs: 3_600_000 });
        this.#grantedTo(lease);
        await this.#sleep(process, holds[turn + i] ?? 0);
        await lease.release();
      }
      await this.#sleep(process, 2 * LATEST_MS + TTL_MS);
      await locks.close();
    });
    for (const { fault, afterMs, ms } of planned) {
      await this.world.advance(afterMs);
      this.#break(fault, ms);
    }
    await Promise.all(clients);
  }

  async #open(process: SimProcess): Promise<Locks> {
    const host = createHost({ runtime: process.runtime, label: process.name });
    const database = simPostgresDatabase(process, this.server, this.network);
    return createLocks(await openPostgres({ database }, host), host, { ttlMs: TTL_MS });
  }

  #grantedTo(lease: Lease): void {
    this.granted += 1;
    for (const other of this.#leases) {
      const leftMs = other.remainingMs();
      if (leftMs > 0) this.wrong.push(`${other.owner} has ${leftMs} ms left: ${lease.owner}`);
      else this.#leases.delete(other);
    }
    this.#leases.add(lease);
    const token = lease.fencingToken ?? 0n;
    if (token <= this.#lastToken) this.wrong.push(`token ${token} after ${this.#lastToken}`);
    this.#lastToken = token;
  }

  #break(fault: Schedule['faults'][number]['fault'], ms: number): void {
    const process = this.processes['client' in fault ? fault.client : 0];
    if (process === undefined) return;
    const { name } = process;
    const { network, server } = this;
    if (fault.kind === 'pause') process.pause(ms);
    else if (fault.kind === 'cut') this.#after(ms, network.cut(process, server));
    else if (fault.kind === 'wall clock') process.jumpWall(ms - LONGEST_MS / 2);
    else if (fault.kind === 'server stop') server.stop(ms);
    else if (fault.kind === 'server restart') server.restart({ data: 'durable', downMs: ms });
    else if (fault.kind === 'server clock back') server.jumpWall(-ms);
    else if (fault.kind === 'lost replies') {
      const lose = network.rule(({ to, way }) =>
        to === name && way === 'reply' ? 'reset' : 'pass',
      );
      this.#after(ms, lose);
    } else {
      const { byMs } = fault;
      // Of a connection that was open: a new one overtakes it.
      let isOld = true;
      const delay = network.rule(({ from, way, label }) => {
        if (from === name && label === 'connect') isOld = false;
        return from === name && way === 'request' && isOld ? { delayMs: byMs } : 'pass';
      });
      this.#after(ms, delay);
    }
  }

  #after(ms: number, run: () => void): void {
    this.world.process(`healer ${(this.#healers += 1)}`).runtime.timer(ms, run);
  }

  #sleep({ runtime }: SimProcess, ms: number): Promise<void> {
    return new Promise((resume) => {
      runtime.timer(ms, resume, { awaited: true });
    });
  }
}

test('whatever fails and heals, no two leases are valid at once, tokens grow, everybody gets its turns, and nothing is left', async () => {
  await fc.assert(
    fc.asyncProperty(schedule, async (each) => {
      const play = new Play();

      await play.world.run(() => play.run(each));

      expect(play.wrong).toEqual([]);
      expect(play.granted).toBe(TURNS);
      const row = play.server.engine.row('holdfast.locks_v1', 'holdfast', 'k');
      expect(row?.['owner'] === null || Number(row?.['expires_at']) <= play.server.wallUs).toBe(
        true,
      );
    }),
    { numRuns: runs(100) },
  );
}, 900_000);
