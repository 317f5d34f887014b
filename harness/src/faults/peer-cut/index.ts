import type { FaultUnderTest } from '../../sim/schedule/fault.ts';
import type { Choreography, Step } from '../../sim/schedule/real.ts';
import { OVER } from '../parts/real.ts';
import { injectIntoPeers, ON_SERVERS, outageMs } from '../parts/servers.ts';
import { cuts, ONE_WAY, type PeerCut, withPausedTurns } from './generate.ts';

const CONTROL = cut(
  'the replica is cut from its master: a control, as no client uses the replica',
  {
    do: 'cutPeers',
    whose: 'all',
  },
);
const FROM_STANDBYS = cut(
  'the standbys are cut from the primary, so that nothing more is confirmed',
  { do: 'cutPeers', whose: 'all' },
);
const IN_ENSEMBLES = [
  cut('the follower that the holder is connected to is cut from the leader', {
    do: 'cutPeers',
    whose: 'holder',
  }),
  cut('the leader is cut from both followers', { do: 'cutPeers', whose: 'all' }),
  cut('no message passes to the leader from the follower that the holder is connected to', {
    do: 'cutPeers',
    whose: 'holder',
    way: 'out',
  }),
];

function cut(description: string, step: Step): Choreography {
  return { description, steps: [step, OVER, { do: 'healPeers' }] };
}

export const peerCut: FaultUnderTest<PeerCut> = {
  id: 'peer-cut',
  meaning: 'servers are cut from each other, also one way',
  reason: 'servers were cut off from each other',
  fields: { ...ON_SERVERS, oneWay: ONE_WAY },
  needs: 'replicas',
  generate: (c) => cuts(c, outageMs),
  generateBeside: withPausedTurns,
  arm: (run, fault, index) =>
    injectIntoPeers(run, fault, index, () =>
      run.cluster.cutPeers?.(fault.nodes, fault.ms, fault.way),
    ),
  text: ({ ms, way }, { isEnsemble }) =>
    `cut off from ${isEnsemble ? 'the other servers' : 'its replica'} for ${ms} ms${way === undefined ? '' : SIDES[way]}`,
  real: ({ isEnsemble, isSynchronous }) =>
    isEnsemble ? IN_ENSEMBLES : [isSynchronous ? FROM_STANDBYS : CONTROL],
};

const SIDES = { out: ': nothing gets out, all gets in', in: ': nothing gets in, all gets out' };
