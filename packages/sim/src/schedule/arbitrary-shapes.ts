import fc from 'fast-check';
import {
  after,
  before,
  blows,
  type Circumstances,
  client,
  few,
  maskOf,
  PLAIN,
  roadsOf,
  soon,
} from './arbitrary-parts.ts';
import { type Fault, type FaultKind, ONE_WAY, type When } from './schedule.ts';

/** Within the margin even where two clocks err in opposite directions: it covers one in a hundred. */
const PPM_WITHIN = 5_000;
const PPM_BEYOND = { min: 30_000, max: 300_000 };
const CLIENTS = ['a', 'b', 'c'];

/** A fault of a client, aimed at that client's own calls. */
export function ofClient(
  kind: 'pause' | 'pause-acquire' | 'loop-block' | 'suspend' | 'client-clock',
  whens: (by: string) => fc.Arbitrary<When>,
  ms: fc.Arbitrary<number>,
): fc.Arbitrary<Fault> {
  const each = CLIENTS.map((by) =>
    fc.record({ kind: fc.constant(kind), client: fc.constant(by), when: whens(by), ms }, PLAIN),
  );
  return fc.oneof(...each);
}

/** Between what a holder checks and what it does; and around the calls that tell it whether it holds. */
export function whileHolding(points: readonly string[]): (by: string) => fc.Arbitrary<When> {
  return (by) =>
    fc.oneof(
      { arbitrary: before('write', by), weight: 4 },
      { arbitrary: before('claim', by), weight: 2 },
      { arbitrary: before('read', by), weight: 1 },
      { arbitrary: nowCalls(by), weight: 2 },
      ...points.flatMap((label) => [
        { arbitrary: before(label, by), weight: 1 },
        { arbitrary: after(label, by), weight: 1 },
      ]),
      { arbitrary: soon, weight: 1 },
    );
}

function nowCalls(by: string): fc.Arbitrary<When> {
  const n = fc.integer({ min: 1, max: 40 });
  return fc.record({ before: fc.constant('now'), n, by: fc.constant(by) }, PLAIN);
}

export function whileAcquiring([acquire = 'acquire']: readonly string[]): (
  by: string,
) => fc.Arbitrary<When> {
  return (by) =>
    fc.oneof(
      { arbitrary: after(acquire, by), weight: 3 },
      { arbitrary: before(acquire, by), weight: 1 },
    );
}

export function inside(by: string): fc.Arbitrary<When> {
  return fc.oneof(
    before('write', by),
    before('claim', by),
    before('sleep', by),
    before('read', by),
  );
}

export function ofNodes(
  kind: Extract<
    FaultKind,
    | 'server-clock-forward'
    | 'server-clock-back'
    | 'server-stop'
    | 'restart-empty'
    | 'restart-durable'
    | 'failover'
    | 'majority-down'
  >,
  circumstances: Circumstances,
  ms: fc.Arbitrary<number>,
  nodes: fc.Arbitrary<number> = maskOf(circumstances),
): fc.Arbitrary<Fault> {
  return fc.record({ kind: fc.constant(kind), nodes, when: blows(circumstances), ms }, PLAIN);
}

/** Mostly both ways: that is what most mistakes show under. */
export function peerCut(
  circumstances: Circumstances,
  ms: fc.Arbitrary<number>,
  {
    nodes = maskOf(circumstances),
    when = blows(circumstances),
  }: { readonly nodes?: fc.Arbitrary<number>; readonly when?: fc.Arbitrary<When> } = {},
): fc.Arbitrary<Fault> {
  const cut = {
    kind: fc.constant('peer-cut' as const),
    nodes,
    when,
    ms,
  };
  const oneWay = fc.record({ ...cut, way: fc.constantFrom(...ONE_WAY) }, PLAIN);
  return fc.oneof<fc.WeightedArbitrary<Fault>[]>(
    { arbitrary: fc.record(cut, PLAIN), weight: 2 },
    { arbitrary: oneWay, weight: 1 },
  );
}

export function ofMessage(
  kind: 'delay' | 'reorder',
  circumstances: Circumstances,
  labels: readonly string[],
  ms: fc.Arbitrary<number>,
): fc.Arbitrary<Fault> {
  return fc.record(
    {
      kind: fc.constant(kind),
      client,
      nodes: roadsOf(circumstances),
      way: fc.constantFrom('request' as const, 'reply' as const),
      label: fc.constantFrom(...labels),
      n: few,
      ms,
    },
    PLAIN,
  );
}

export function drift(circumstances: Circumstances): fc.Arbitrary<Fault> {
  const size =
    circumstances.drift === 'within'
      ? fc.integer({ min: -PPM_WITHIN, max: PPM_WITHIN })
      : fc.integer(PPM_BEYOND).chain((ppm) => fc.constantFrom(ppm, -ppm));
  const kind = fc.constant('drift' as const);
  const nodes = maskOf(circumstances);
  const ofOne = fc.record({ kind, client, ppm: size }, PLAIN);
  if (circumstances.nodes === 0) return ofOne;
  return fc.oneof<fc.Arbitrary<Fault>[]>(ofOne, fc.record({ kind, nodes, ppm: size }, PLAIN));
}
