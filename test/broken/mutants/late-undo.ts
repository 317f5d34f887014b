import type { Schedule } from '@holdfast/harness/simulator';
import fc from 'fast-check';

const TTL_MS = 1_000;
const NODES = 5;
/** Connections on which nothing is answered are given up after 2 s to 4 s; only then can another overtake them. */
const LATE_MS = { min: 3_000, max: 9_000 };
const HOLD_MS = 10_000;
const PLAIN = { noNullPrototype: true } as const;

/** Two nodes, as a mask, and two others. */
const twoAndTwo = fc
  .shuffledSubarray([0, 1, 2, 3, 4], { minLength: 4, maxLength: 4 })
  .map(([a = 0, b = 0, c = 0, d = 0]) => ({
    late: (1 << a) | (1 << b),
    lost: (1 << c) | (1 << d),
  }));

/**
 * A holder that never reached two of five nodes and was then cut from two others, so that its lease rests on votes that
 * were healed; while what it first sent to the two, and the undo behind it, is still on its way on connections that
 * have been given up.
 */
export const LATE_UNDO: fc.Arbitrary<Schedule> = fc
  .record(
    {
      nodes: twoAndTwo,
      latencyMs: fc.integer({ min: 1, max: 20 }),
      lateMs: fc.integer(LATE_MS),
      cutAtMs: fc.integer(LATE_MS),
      cutMs: fc.integer({ min: TTL_MS, max: 4 * TTL_MS }),
      rival: fc.record({ atMs: fc.nat(LATE_MS.max), holdMs: fc.nat(TTL_MS / 2) }, PLAIN),
    },
    PLAIN,
  )
  .map(({ nodes, latencyMs, lateMs, cutAtMs, cutMs, rival }) => ({
    v: 1,
    ttlMs: TTL_MS,
    latencyMs,
    nodes: NODES,
    replicas: 0,
    lagMs: 0,
    replicaClockMs: 0,
    ops: [
      { id: 1, client: 'a', atMs: 0, holdMs: HOLD_MS, renews: true },
      { id: 2, client: 'b', renews: false, ...rival },
    ],
    faults: [
      {
        kind: 'reorder',
        client: 'a',
        nodes: nodes.late,
        way: 'request',
        label: 'acquire',
        n: 1,
        ms: lateMs,
      },
      {
        kind: 'client-cut',
        client: 'a',
        nodes: nodes.lost,
        when: { atMs: cutAtMs },
        ms: cutMs,
        way: 'both',
      },
    ],
  }));
