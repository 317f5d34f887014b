import type { Schedule } from '@holdfast/sim';
import fc from 'fast-check';

const TTL_MS = 1_000;
const NODES = 5;
/** From one node being back to the next going down: a third of the ttl, and a call. */
const REST_MS = { min: Math.ceil(TTL_MS / 3 + TTL_MS / 10) + 40, max: TTL_MS };
const OUTAGE_MS_MAX = 60;
const PLAIN = { noNullPrototype: true } as const;

/** Three nodes, one after the other, and when each goes down. */
const restarts = fc
  .record({
    nodes: fc.shuffledSubarray([0, 1, 2, 3, 4], { minLength: 3, maxLength: 3 }),
    rests: fc.array(fc.integer(REST_MS), { minLength: 3, maxLength: 3 }),
    outages: fc.array(fc.nat(OUTAGE_MS_MAX), { minLength: 3, maxLength: 3 }),
  })
  .map(({ nodes, rests, outages }) => {
    let atMs = 0;
    return nodes.map((node, i) => {
      atMs += (rests[i] ?? 0) + (outages[i - 1] ?? 0);
      const ms = outages[i] ?? 0;
      return { kind: 'restart-empty' as const, nodes: 1 << node, when: { atMs }, ms };
    });
  });

const rival = fc.record({ atMs: fc.integer({ min: 100, max: 4 * TTL_MS }) }, PLAIN);

/** A lease that is renewed throughout, while three of five nodes restart one after another, each without its data. */
export const ROLLING_RESTART: fc.Arbitrary<Schedule> = fc
  .record(
    { latencyMs: fc.integer({ min: 1, max: 10 }), faults: restarts, b: rival, c: rival },
    PLAIN,
  )
  .map(({ latencyMs, faults, b, c }) => ({
    v: 1,
    ttlMs: TTL_MS,
    latencyMs,
    nodes: NODES,
    replicas: 0,
    lagMs: 0,
    replicaClockMs: 0,
    ops: [
      { id: 1, client: 'a', atMs: 0, holdMs: 6 * TTL_MS, renews: true },
      { id: 2, client: 'b', holdMs: 0, renews: false, ...b },
      { id: 3, client: 'c', holdMs: 0, renews: false, ...c },
    ],
    faults,
  }));
