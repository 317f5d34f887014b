import fc from 'fast-check';
import {
  type Circumstances,
  injectionTimes,
  maskOf,
  PLAIN,
} from '../../sim/schedule/arbitrary-parts.ts';
import type { When } from '../../sim/schedule/schedule.ts';
import type { OnServers } from '../parts/servers.ts';

/** One way alone: nothing gets `out` of the servers named, or nothing gets `in`; both ways, unless it says which. */
export type PeerCut = OnServers & { readonly way?: (typeof ONE_WAY)[number] };
export const ONE_WAY = ['out', 'in'] as const;

interface CutTarget {
  readonly nodes?: fc.Arbitrary<number>;
  readonly when?: fc.Arbitrary<When>;
}

/** Mostly both ways: that is what most mistakes show under. */
export function cuts(
  circumstances: Circumstances,
  ms: fc.Arbitrary<number>,
  { nodes = maskOf(circumstances), when = injectionTimes(circumstances) }: CutTarget = {},
): fc.Arbitrary<PeerCut> {
  const cut = { kind: fc.constant('peer-cut'), nodes, when, ms };
  const oneWay = fc.record({ ...cut, way: fc.constantFrom(...ONE_WAY) }, PLAIN);
  return fc.oneof<fc.WeightedArbitrary<PeerCut>[]>(
    { arbitrary: fc.record(cut, PLAIN), weight: 2 },
    { arbitrary: oneWay, weight: 1 },
  );
}
