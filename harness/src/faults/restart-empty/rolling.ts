import fc from 'fast-check';
import { PLAIN, TTL_MS } from '../../sim/schedule/arbitrary-parts.ts';
import type { Fault, Schedule } from '../../sim/schedule/schedule.ts';

/** From one node being back to the next going down: a third of the ttl, and a call, in which a lease heals its votes. */
const REST_MS = { min: Math.ceil(TTL_MS / 3 + TTL_MS / 10) + 40, max: TTL_MS };
const OUTAGE_MS_MAX = 60;
/** So long that no lease would outlast the restarts without being renewed. */
const HOLD_MS = 6 * TTL_MS;

const rival = fc.record({ atMs: fc.integer({ min: 100, max: 4 * TTL_MS }) }, PLAIN);

/** A lease that is renewed throughout, while a majority of the nodes restarts one after another, each without its data. */
export function rollingRestarts(nodes: number): fc.Arbitrary<Schedule> {
  return fc
    .record(
      {
        latencyMs: fc.integer({ min: 1, max: 10 }),
        faults: restartsOf(nodes),
        b: rival,
        c: rival,
      },
      PLAIN,
    )
    .map(({ latencyMs, faults, b, c }) => ({
      v: 1,
      ttlMs: TTL_MS,
      latencyMs,
      nodes,
      replicas: 0,
      lagMs: 0,
      replicaClockMs: 0,
      ops: [
        { id: 1, client: 'a', atMs: 0, holdMs: HOLD_MS, renews: true },
        { id: 2, client: 'b', holdMs: 0, renews: false, ...b },
        { id: 3, client: 'c', holdMs: 0, renews: false, ...c },
      ],
      faults,
    }));
}

/** Which nodes, and when each goes down. */
function restartsOf(nodes: number): fc.Arbitrary<Fault[]> {
  const count = Math.floor(nodes / 2) + 1;
  const each = { minLength: count, maxLength: count };
  const all = Array.from({ length: nodes }, (_, node) => node);
  return fc
    .record({
      nodes: fc.shuffledSubarray(all, each),
      rests: fc.array(fc.integer(REST_MS), each),
      outages: fc.array(fc.nat(OUTAGE_MS_MAX), each),
    })
    .map((drawn) => {
      let atMs = 0;
      return drawn.nodes.map((node, i) => {
        atMs += (drawn.rests[i] ?? 0) + (drawn.outages[i - 1] ?? 0);
        const ms = drawn.outages[i] ?? 0;
        return { kind: 'restart-empty', nodes: 1 << node, when: { atMs }, ms };
      });
    });
}
