import fc from 'fast-check';
import { LATE_MS, LONGER_HOLD_MS, PLAIN } from './arbitrary-parts.ts';
import type { ClientId, Op, Schedule } from './schedule.ts';

/** Whose process ends, or collects, in these. */
const CLIENT: ClientId = 'a';

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

const atAnyTime = fc.nat(LATE_MS);
