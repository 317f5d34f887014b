import fc from 'fast-check';
import { nodeName, type When } from './schedule.ts';

/** The possible targets of faults. */
export interface Circumstances {
  /** Number of independent addresses. */
  readonly nodes: number;
  /** Protocol points of the lock under test; `acquire`, `renew` and `release` by default. */
  readonly points?: readonly string[];
  /** Other requests that it sends, to be aimed at less often. */
  readonly requests?: readonly string[];
  /** The variation to draw a fault in; a fault without a variation of that name is drawn as usual. */
  readonly variation?: string;
  /** Number of servers affected at once: fewer than half of them, or all; any by default. */
  readonly affected?: 'minority' | 'all';
  /** True if the lock uses an ensemble. Its followers lag in some schedules, and its times are generated, too. */
  readonly ensemble?: boolean;
}

export const TTL_MS = 1_000;
/** A client that works for longer without renewing is late without any fault; messages take time too. */
const FIXED_HOLD_SHARE = 0.7;
export const FIXED_HOLD_MS_MAX: number = FIXED_HOLD_SHARE * TTL_MS;
/** A few messages: the hold is over while others read, or subscribe. */
export const BRIEF_MS = 60;
/** Long enough for renewals to matter. */
export const LONGER_HOLD_MS: number = 1.5 * TTL_MS;
/** The time by which most of a schedule is over. */
export const LATE_MS: number = 2.5 * TTL_MS;
/** Objects without a prototype make JSON and printing ugly. */
export const PLAIN = { noNullPrototype: true } as const;

export const client: fc.Arbitrary<string> = fc.constantFrom('a', 'b', 'c');
/** Calls are counted for each client and label, so most events are at the first few; some come late. */
export const smallCount: fc.Arbitrary<number> = fc.constantFrom(
  ...often(6, [1, 1, 1, 2, 2, 3]),
  4,
  5,
  7,
  9,
  12,
);
export const soonAfterStart: fc.Arbitrary<When> = fc.record({ atMs: fc.nat(LATE_MS) }, PLAIN);

/** Mostly longer than the ttl, so that another client gets the key meanwhile. */
export const longMs: fc.Arbitrary<number> = fc.oneof(
  { arbitrary: fc.nat(TTL_MS), weight: 1 },
  { arbitrary: fc.integer({ min: TTL_MS + 1, max: 4 * TTL_MS }), weight: 6 },
);

export function before(label: string, by: string): fc.Arbitrary<When> {
  return fc.record({ before: fc.constant(label), n: smallCount, by: fc.constant(by) }, PLAIN);
}

export function after(label: string, by: string): fc.Arbitrary<When> {
  return fc.record({ after: fc.constant(label), n: smallCount, by: fc.constant(by) }, PLAIN);
}

export function pointsOf({ points }: Circumstances): readonly string[] {
  return points ?? ['acquire', 'renew', 'release'];
}

/** Returns the requests that faults of messages and servers are aimed at, mostly the points. */
export function requestsOf(circumstances: Circumstances): readonly string[] {
  return [...often(3, pointsOf(circumstances)), ...(circumstances.requests ?? [])];
}

/**
 * Returns the requests whose replies are lost: mostly the first of the points, which takes the key and leaves the
 * most in doubt.
 */
export function doubtedOf(circumstances: Circumstances): readonly string[] {
  const [first, ...others] = pointsOf(circumstances);
  const acquire = first === undefined ? [] : [first];
  return [...often(8, acquire), ...often(2, others), ...(circumstances.requests ?? [])];
}

/**
 * Draws the servers on whose connections a message is affected: in an ensemble mostly any, since a client is at one
 * of them.
 */
export function routeMasks(circumstances: Circumstances): fc.Arbitrary<number> {
  if (circumstances.ensemble !== true) return maskOf(circumstances);
  return fc.oneof(
    { arbitrary: fc.constant(allOf(circumstances)), weight: 2 },
    { arbitrary: maskOf(circumstances), weight: 1 },
  );
}

function often<T>(times: number, values: readonly T[]): readonly T[] {
  return Array.from({ length: times }, () => values).flat();
}

/** Draws any of the nodes, at least one; a fault of several is as likely as a fault of one. */
export function maskOf(circumstances: Circumstances): fc.Arbitrary<number> {
  const { nodes, affected } = circumstances;
  if (affected === 'minority' && nodes > 2)
    return masksOf(circumstances, (count) => 2 * count < nodes);
  if (affected === 'all') return fc.constant(Math.max(1, allOf(circumstances)));
  return fc.integer({ min: 1, max: Math.max(1, 2 ** nodes - 1) });
}

/** Draws one of the servers. */
export function serverOf({ nodes }: Circumstances): fc.Arbitrary<number> {
  return fc.nat(Math.max(0, nodes - 1)).map((node) => 2 ** node);
}

export function majorityOf(circumstances: Circumstances): fc.Arbitrary<number> {
  return masksOf(circumstances, (count) => 2 * count > circumstances.nodes);
}

/** Returns every mask of fewer than half of so many nodes. */
export function minorityOf(nodes: number): readonly number[] {
  const all = Array.from({ length: 2 ** nodes - 1 }, (_, i) => i + 1);
  return all.filter((mask) => 2 * bits(mask) < nodes);
}

function masksOf(
  { nodes }: Circumstances,
  isMeant: (count: number) => boolean,
): fc.Arbitrary<number> {
  const all = Array.from({ length: 2 ** nodes - 1 }, (_, i) => i + 1);
  return fc.constantFrom(...all.filter((mask) => isMeant(bits(mask))));
}

export function allOf({ nodes }: Circumstances): number {
  return 2 ** nodes - 1;
}

/**
 * Draws when a server is affected: while a client is sure to hold, just after a node executed a call, or at any time.
 */
export function injectionTimes(circumstances: Circumstances): fc.Arbitrary<When> {
  const { nodes } = circumstances;
  const clients = ['a', 'b', 'c'];
  const held = clients.flatMap((by) => [before('read', by), before('write', by)]);
  const names = Array.from({ length: nodes }, (_, node) => nodeName(node));
  const done = names.flatMap((by) =>
    [...new Set(requestsOf(circumstances))].map((label) => after(label, by)),
  );
  return fc.oneof(
    { arbitrary: fc.oneof(...held), weight: 3 },
    { arbitrary: fc.oneof(...done), weight: 3 },
    { arbitrary: soonAfterStart, weight: 1 },
  );
}

function bits(mask: number): number {
  let count = 0;
  for (let rest = mask; rest > 0; rest >>= 1) count += rest & 1;
  return count;
}
