import fc from 'fast-check';
import {
  BRIEF_MS,
  LATE_MS,
  LONGER_HOLD_MS,
  longMs,
  maskOf,
  minorityOf,
  PLAIN,
  TTL_MS,
} from './arbitrary-parts.ts';
import {
  type Aftermath,
  type ClientId,
  nodeName,
  type Op,
  PERMANENT_FAULTS,
  type Repointing,
  type Schedule,
} from './schedule.ts';

/** The client that closes its locks, or collects, in these schedules. */
const CLIENT: ClientId = 'a';
/** Long enough for several calls in a row to fail; a request that was sent first has not expired by then. */
const GIVEN_UP_MS = 0.8 * TTL_MS;

/** `a` closes its locks at any moment; its operations are bodies that heed no signal. */
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

/** All operations but the first give up soon: at once, or in the middle of an attempt. */
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

/** Added to the latency of all messages: three round trips still fit into the time of one call, a tenth of the ttl. */
const APART_MS_MAX = 6;

/** Generates the parts that stay broken: fewer than half of the nodes, and at most one of three clients. */
export function aftermaths(nodes: number): fc.Arbitrary<Aftermath> {
  return fc.record(
    {
      atMs: fc.nat(LATE_MS),
      nodes: fc.constantFrom(0, ...minorityOf(nodes)),
      how: fc.constantFrom(...PERMANENT_FAULTS),
      still: fc.constantFrom('', '', '', 'a', 'b', 'c'),
      holdMs: fc.oneof(fc.nat(BRIEF_MS), fc.nat(TTL_MS / 2)),
      apartMs: fc.oneof(fc.constant(0), fc.nat(APART_MS_MAX)),
    },
    PLAIN,
  );
}

/** Addresses lead to the server of another node at any moment, once or twice, and back after a while. */
export function withRepointings(schedule: Schedule): fc.Arbitrary<Schedule> {
  const { nodes } = schedule;
  const shape = fc.oneof(
    { arbitrary: becomingOne(nodes), weight: 2 },
    { arbitrary: anyRepointing(nodes), weight: 1 },
  );
  const each = fc.record({ shape, atMs: fc.nat(LATE_MS), ms: longMs }, PLAIN);
  return fc.array(each, { minLength: 1, maxLength: 2 }).map((drawn) => ({
    ...schedule,
    repointings: drawn.map(({ shape: target, ...times }): Repointing => ({ ...target, ...times })),
  }));
}

/** All addresses lead to one server. */
function becomingOne(nodes: number): fc.Arbitrary<Pick<Repointing, 'nodes' | 'to'>> {
  return fc.nat(nodes - 1).map((to) => ({ nodes: 2 ** nodes - 1 - (1 << to), to: nodeName(to) }));
}

function anyRepointing(nodes: number): fc.Arbitrary<Pick<Repointing, 'nodes' | 'to'>> {
  return fc.record({ nodes: maskOf({ nodes }), to: fc.nat(nodes - 1).map(nodeName) }, PLAIN);
}

/** Numbers of attempts already made: mostly none; else so many that the number soon gets another digit. */
const ATTEMPTS = [...Array<number>(30).fill(0), 3, 6, 7, 8, 9, 10];
const attempts = fc.constantFrom(...ATTEMPTS);

export function withAttempts(schedules: fc.Arbitrary<Schedule>): fc.Arbitrary<Schedule> {
  return fc
    .tuple(schedules, attempts)
    .map(([schedule, made]) => (made === 0 ? schedule : { ...schedule, attempts: made }));
}

/** `c` opens its locks in the middle of the schedule, and has seen nothing of what happened before. */
export function withNewcomer(schedule: Schedule): fc.Arbitrary<Schedule> {
  return fc.nat(TTL_MS / 2).map((atMs) => ({
    ...schedule,
    newcomers: 'c',
    ops: schedule.ops.map((op) => (op.client === 'c' ? { ...op, atMs: op.atMs + atMs } : op)),
  }));
}
