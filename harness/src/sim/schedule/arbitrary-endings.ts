import fc from 'fast-check';
import { LATE_MS, LONGER_HOLD_MS, PLAIN, TTL_MS } from './arbitrary-parts.ts';
import type { ClientId, Op, Schedule } from './schedule.ts';

/** Whose process ends, or collects, in these. */
const CLIENT: ClientId = 'a';
/** Several calls, one after the other, may fail in the meantime; what was sent at first is not over by itself. */
const GIVEN_UP_MS = 0.8 * TTL_MS;

/** `a` closes its locks at any moment; what it does meanwhile are bodies that heed no signal. */
export function withShutdown(schedule: Schedule): fc.Arbitrary<Schedule> {
  const ops = schedule.ops.map((op): Op => (op.client === CLIENT ? { ...op, as: 'body' } : op));
  return atAnyTime.map((atMs) => ({ ...schedule, ops, closings: [{ client: CLIENT, atMs }] }));
}

/** `a` is elected once, keeps nothing but a listener, and its collector runs at any moment. */
export function withCollector(schedule: Schedule): fc.Arbitrary<Schedule> {
  const first = schedule.ops.find(({ client }) => client === CLIENT);
  const others = schedule.ops.filter(({ client }) => client !== CLIENT);
  if (first === undefined) return fc.constant(schedule);
  return fc.record({ atMs: atAnyTime, holdMs: fc.nat(LONGER_HOLD_MS) }, PLAIN).map((drawn) => ({
    ...schedule,
    ops: [{ ...first, holdMs: drawn.holdMs, renews: true, as: 'leader' }, ...others],
    collections: [{ client: CLIENT, atMs: drawn.atMs }],
  }));
}

/** All operations but the first give up soon: at once, or in the middle of what goes on. */
export function withGivingUp(schedule: Schedule): fc.Arbitrary<Schedule> {
  const [, ...later] = schedule.ops;
  return fc.tuple(...later.map(() => waitMs)).map((waits) => ({
    ...schedule,
    ops: schedule.ops.map((op, i): Op => {
      const most = waits[i - 1];
      return most === undefined ? op : { ...op, waitMs: most };
    }),
  }));
}

const waitMs = fc.oneof(
  { arbitrary: fc.constant(0), weight: 1 },
  { arbitrary: fc.nat(GIVEN_UP_MS), weight: 5 },
);
const atAnyTime = fc.nat(LATE_MS);
