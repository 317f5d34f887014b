import type { Schedule } from '@holdfast/sim';
import fc from 'fast-check';

const TTL_MS = 1_000;
const HOLD_MS = 900;
/** Not long enough to be given up, and long enough for the leader to have heard nothing of the session for most of T. */
const BLOCK_MS = { min: 450, max: 640 };
const PLAIN = { noNullPrototype: true } as const;

/**
 * Whose event loop was blocked in one critical section, comes to the next one at once; and as it holds, the follower
 * that it is at may be cut from the leader, also one way. Somebody else waits behind it.
 */
export const CUT_AFTER_BLOCK: fc.Arbitrary<Schedule> = fc
  .record(
    {
      latencyMs: fc.integer({ min: 1, max: 5 }),
      ticks: fc.constantFrom(2, 4, 5, 10),
      blockMs: fc.integer(BLOCK_MS),
      rivalAtMs: fc.integer({ min: BLOCK_MS.max + 50, max: TTL_MS }),
      follower: fc.constantFrom(0b1, 0b10),
      way: fc.constantFrom(undefined, 'out' as const),
    },
    PLAIN,
  )
  .map(({ latencyMs, ticks, blockMs, rivalAtMs, follower: nodes, way }) => ({
    v: 1,
    ttlMs: TTL_MS,
    latencyMs,
    nodes: 3,
    replicas: 1,
    lagMs: 0,
    replicaClockMs: 0,
    ensemble: { ticks, syncLimit: Math.min(20, 3 * ticks), reapMs: 60_000 },
    ops: [
      { id: 1, client: 'a', atMs: 0, holdMs: 0, renews: false },
      { id: 2, client: 'a', atMs: 100, holdMs: HOLD_MS, renews: false },
      { id: 3, client: 'b', atMs: rivalAtMs, holdMs: 0, renews: false },
    ],
    faults: [
      { kind: 'loop-block', client: 'a', when: { before: 'write', n: 1, by: 'a' }, ms: blockMs },
      {
        kind: 'peer-cut',
        nodes,
        when: { before: 'read', n: 2, by: 'a' },
        ms: 5 * TTL_MS,
        ...(way === undefined ? {} : { way }),
      },
    ],
  }));
