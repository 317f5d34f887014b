import { type Lease, type Locks } from '@holdfast/core';
import { createHost, createLocks } from '@holdfast/core/backend';
import { Network, type SimProcess, World } from '@holdfast/harness/simulator';
import { SimZooKeeper, simOpenSession } from '@holdfast/harness/stores';
import { openZk, type ZooKeeperSession } from '@holdfast/zk';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runs } from '../../../../test/support/runs.ts';
import { countedSession } from '../support/counted-session.ts';

const T_MS = 4_000;
const LAG_MS = 300;
/** Contenders of each process; those of the first are more than may have a request on the wire. */
const CROWDS = [150, 20, 20];
const ALL = CROWDS.reduce((sum, size) => sum + size);
const FOREVER_MS = 3_600_000;

/** Crowds of three processes that want one key of an ensemble of three. */
class Crowds {
  readonly world: World = new World({ trace: false });
  readonly network: Network = new Network(this.world, { latencyMs: 1 });
  readonly ensemble: SimZooKeeper;
  readonly processes: readonly SimProcess[];
  readonly overlaps: string[] = [];
  /** Requests of all sessions, by name. */
  readonly requests = new Map<string, number>();
  served = 0;
  aborted = 0;
  #leases: Lease[] = [];
  #healers = 0;

  constructor(lagMs: number) {
    this.ensemble = new SimZooKeeper(this.world, this.network, {
      tickMs: 500,
      syncLimit: 5,
      lagMs,
    });
    this.processes = CROWDS.map((_, i) => this.world.process(`c${i}`));
  }

  async open(process: SimProcess): Promise<Locks> {
    const host = createHost({ runtime: process.runtime, label: process.name });
    const options = { timeoutMs: T_MS, servers: this.ensemble.servers };
    const open = simOpenSession(process, this.ensemble, this.network, options);
    const counted = async (byMs: number): Promise<ZooKeeperSession> =>
      countedSession(await open(byMs), this.requests);
    return createLocks(await openZk({ open: counted }, host), host);
  }

  /** All requests of one process for the key; some time out. */
  async want(
    process: SimProcess,
    locks: Locks,
    size: number,
    aborts: readonly number[],
  ): Promise<void> {
    const wants = Array.from({ length: size }, async (_, i) => {
      const abort = new AbortController();
      const abortMs = aborts[i];
      if (abortMs !== undefined) void this.sleep(process, abortMs).then(() => abort.abort());
      try {
        const lease = await locks.acquire('k', { waitMs: FOREVER_MS, signal: abort.signal });
        await this.#hold(lease, process);
      } catch (error) {
        if (!abort.signal.aborted) throw error;
        this.aborted += 1;
      }
    });
    await Promise.all(wants);
  }

  /** The nodes in queues, at the leader. */
  contenders(): readonly string[] {
    return (this.ensemble.leader?.paths() ?? []).filter((path) => path.includes('-lock-'));
  }

  after(ms: number, run: () => void): void {
    this.#healers += 1;
    this.world.process(`healer ${this.#healers}`).runtime.timer(ms, run);
  }

  sleep({ runtime }: SimProcess, ms: number): Promise<void> {
    return new Promise((resume) => void runtime.timer(ms, resume, { awaited: true }));
  }

  async #hold(lease: Lease, process: SimProcess): Promise<void> {
    this.served += 1;
    this.#leases = this.#leases.filter((other) => other.remainingMs() > 0);
    for (const other of this.#leases) this.overlaps.push(`${lease.owner} beside ${other.owner}`);
    this.#leases.push(lease);
    await this.sleep(process, 1);
    this.#leases = this.#leases.filter((other) => other !== lease);
    await lease.release();
  }
}

const client = fc.nat(CROWDS.length - 1);
const server = fc.nat(2);
const fault = fc.oneof(
  fc.record({ kind: fc.constant('reset' as const), client }),
  fc.record({ kind: fc.constant('pause' as const), client }),
  fc.record({ kind: fc.constant('cut' as const), client, server }),
  fc.record({ kind: fc.constant('alone' as const), client }),
  fc.record({ kind: fc.constant('restart' as const), server }),
  fc.record({ kind: fc.constant('stop' as const), server }),
);
/** Also while they enter, which takes a few ms. */
const soonMs = fc.oneof(fc.nat(15), fc.nat(1_500));
const schedule = fc.record({
  lagMs: fc.constantFrom(0, LAG_MS),
  faults: fc.array(fc.record({ fault, afterMs: soonMs, ms: fc.nat(2 * T_MS) }), {
    minLength: 1,
    maxLength: 5,
  }),
  aborts: fc.array(fc.oneof(fc.nat(15), fc.nat(3_000)), { maxLength: 100 }),
});
type Fault = typeof fault extends fc.Arbitrary<infer T> ? T : never;

function inject(crowds: Crowds, injected: Fault, ms: number): void {
  const { ensemble, network } = crowds;
  const process = crowds.processes['client' in injected ? injected.client : 0];
  const at = ensemble.servers['server' in injected ? injected.server : 0];
  if (process === undefined || at === undefined) return;
  const { kind } = injected;
  if (kind === 'pause') process.pause(ms);
  else if (kind === 'cut') crowds.after(ms, network.cut(process, at));
  else if (kind === 'alone') {
    for (const each of ensemble.servers) crowds.after(ms, network.cut(process, each));
  } else if (kind === 'restart') at.restart({ data: 'durable', downMs: ms });
  else if (kind === 'stop') at.stop(ms);
  else {
    const { name } = process;
    const heal = network.rule(({ to, way }) => (to === name && way === 'reply' ? 'reset' : 'pass'));
    crowds.after(ms / 10, heal);
  }
}

describe('a crowd', () => {
  test.each([0, LAG_MS])(
    'costs so many requests and no more, behind a lag of %i ms',
    async (lagMs) => {
      const crowds = new Crowds(lagMs);
      await crowds.world.run(async () => {
        const clients = crowds.processes.map(async (process, i) => {
          const locks = await crowds.open(process);
          await crowds.want(process, locks, CROWDS[i] ?? 0, []);
          await locks.close();
        });
        await Promise.all(clients);
      });

      expect(crowds.served).toBe(ALL);
      expect(crowds.overlaps).toEqual([]);
      const count = (name: string): number => crowds.requests.get(name) ?? 0;
      expect(count('delete')).toBe(ALL);
      expect(count('list')).toBeLessThan(1.2 * ALL);
      expect(count('existsWatch')).toBeLessThan(1.5 * ALL);
    },
  );

  test('whatever fails and heals, holds one lease at a time, is served whole, and leaves nothing', async () => {
    await fc.assert(
      fc.asyncProperty(schedule, async ({ lagMs, faults, aborts }) => {
        const crowds = new Crowds(lagMs);
        let left: readonly string[] = [];
        await crowds.world.run(async () => {
          const wants = crowds.processes.map(async (process, i) => {
            const locks = await crowds.open(process);
            await crowds.want(process, locks, CROWDS[i] ?? 0, aborts.slice(i));
            return locks;
          });
          for (const { fault: injected, afterMs, ms } of faults) {
            await crowds.world.advance(afterMs);
            inject(crowds, injected, ms);
          }
          const opened = await Promise.all(wants);
          await crowds.world.advance(30_000);
          left = crowds.contenders();
          await Promise.all(opened.map((locks) => locks.close()));
        });

        expect(crowds.overlaps).toEqual([]);
        expect(crowds.served + crowds.aborted).toBe(ALL);
        expect(left).toEqual([]);
      }),
      { numRuns: runs(8) },
    );
  }, 120_000);
});
