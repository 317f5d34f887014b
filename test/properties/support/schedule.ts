import fc from 'fast-check';

export type ClientId = 'a' | 'b' | 'c';

/** A client asks for the key at `atMs`, works for `holdMs`, and gives it back; the lease is a fixed one, or renewed. */
export interface Op {
  readonly client: ClientId;
  readonly atMs: number;
  readonly holdMs: number;
  readonly renews: boolean;
}

/** At a true time, or right before or after the n-th call of a kind that the client makes. */
export type When =
  | { readonly atMs: number }
  | { readonly before: CallLabel; readonly n: number }
  | { readonly after: CallLabel; readonly n: number };

export type CallLabel = 'acquire' | 'renew' | 'release' | 'write' | 'now';

export type Fault =
  | { readonly kind: 'pause'; readonly client: ClientId; readonly when: When; readonly ms: number }
  | { readonly kind: 'crash'; readonly client: ClientId; readonly when: When };

/** All that happens in one run, as plain data: flat, absolute, and smaller is simpler, with 0 for nothing. */
export interface Schedule {
  readonly ops: readonly Op[];
  readonly faults: readonly Fault[];
  /** How long each message takes. */
  readonly latencyMs: number;
}

export const TTL_MS = 1_000;
const client: fc.Arbitrary<ClientId> = fc.constantFrom('a', 'b', 'c');
const n = fc.integer({ min: 1, max: 2 });
const plain = { noNullPrototype: true };

/** Wherever two calls meet something can go wrong, most of all between a request to acquire and its reply. */
const when: fc.Arbitrary<When> = fc.oneof(
  { withCrossShrink: true },
  fc.record({ atMs: fc.nat(1_500) }, plain),
  fc.record({ before: fc.constantFrom<CallLabel[]>('write', 'now', 'renew', 'release'), n }, plain),
  fc.record(
    { after: fc.constantFrom<CallLabel[]>('acquire', 'acquire', 'write', 'renew'), n },
    plain,
  ),
);

/** Shorter than the ttl, so that a lease survives it, or longer, so that another client gets the key meanwhile. */
const pauseMs = fc.oneof(
  { withCrossShrink: true },
  { arbitrary: fc.nat(TTL_MS), weight: 1 },
  { arbitrary: fc.nat(4 * TTL_MS), weight: 2 },
);
const pause: fc.Arbitrary<Fault> = fc.record(
  { kind: fc.constant('pause'), client, when, ms: pauseMs },
  plain,
);
const crash: fc.Arbitrary<Fault> = fc.record({ kind: fc.constant('crash'), client, when }, plain);
const fault = fc.oneof(
  { withCrossShrink: true },
  { arbitrary: pause, weight: 3 },
  { arbitrary: crash, weight: 1 },
);
const atMs = fc.nat(600);
/** With time to spare, so that without a fault nobody is ever late; whoever works for longer renews. */
const FIXED_HOLD_MS_MAX = 900;
const opOf = (of: fc.Arbitrary<ClientId>): fc.Arbitrary<Op> =>
  fc.oneof(
    { withCrossShrink: true },
    fc.record(
      { client: of, atMs, holdMs: fc.nat(FIXED_HOLD_MS_MAX), renews: fc.constant(false) },
      plain,
    ),
    fc.record({ client: of, atMs, holdMs: fc.nat(1_500), renews: fc.constant(true) }, plain),
  );

const ops: fc.Arbitrary<Op[]> = fc
  .tuple(opOf(fc.constant('a')), opOf(fc.constant('b')), fc.array(opOf(client), { maxLength: 4 }))
  .map(([a, b, more]) => [a, b].concat(more));

const schedulesWith = (faults: fc.Arbitrary<Fault[]>): fc.Arbitrary<Schedule> =>
  fc.record({ ops, faults, latencyMs: fc.nat(30) }, plain);

/** Two or three clients that want one key, stand still and die. */
export const schedules: fc.Arbitrary<Schedule> = schedulesWith(fc.array(fault, { maxLength: 3 }));

/** The same, with nothing that goes wrong. */
export const calmSchedules: fc.Arbitrary<Schedule> = schedulesWith(fc.constant([]));

/** What to paste into `play` to see a run again. */
export function replayOf(schedule: Schedule): string {
  return JSON.stringify(schedule);
}
