import type { FaultUnderTest } from '../../schedule/fault.ts';
import { ON_SERVERS, outageMs, strikePeers } from '../parts/servers.ts';
import { cuts, ONE_WAY, type PeerCut } from './cuts.ts';
import { withSilences } from './silences.ts';

export const peerCut: FaultUnderTest<PeerCut> = {
  id: 'peer-cut',
  meaning: 'servers are cut from each other, also one way',
  reason: 'servers were cut off from each other',
  fields: { ...ON_SERVERS, oneWay: ONE_WAY },
  needs: 'replicas',
  generate: (c) => cuts(c, outageMs),
  drawnBeside: withSilences,
  arm: (arena, fault, index) =>
    strikePeers(arena, fault, index, () =>
      arena.cluster.cutPeers?.(fault.nodes, fault.ms, fault.way),
    ),
  text: ({ ms, way }, { isEnsemble }) =>
    `cut off from ${isEnsemble ? 'the other servers' : 'its replica'} for ${ms} ms${way === undefined ? '' : SIDES[way]}`,
};

const SIDES = { out: ': nothing gets out, all gets in', in: ': nothing gets in, all gets out' };
