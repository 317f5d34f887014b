import type { FaultUnderTest } from '../../sim/schedule/fault.ts';
import type { Choreography, Deployment } from '../../sim/schedule/real.ts';
import { RENEWED, TAKEOVER } from '../parts/real.ts';
import {
  briefMs,
  injectIntoPeers,
  ON_SERVERS,
  type OnServers,
  onServers,
} from '../parts/servers.ts';
import { after } from '../parts/words.ts';

/** `ms` is the time until the replica is promoted or the leader is back. */
export const failover: FaultUnderTest<OnServers> = {
  id: 'failover',
  meaning: 'the master crashes before it has replicated, and a replica is promoted',
  reason: 'the replica that took over did not know of the lock',
  fields: ON_SERVERS,
  needs: 'replicas',
  takesServiceAway: true,
  isSudden: true,
  generate: (c) => onServers('failover', c, briefMs),
  arm: (run, fault, index) =>
    injectIntoPeers(run, fault, index, () => run.cluster.failover?.(fault.nodes, fault.ms)),
  text: ({ ms }, { isEnsemble }) =>
    isEnsemble
      ? `the leader dies with what it has not replicated; back${after(ms)}`
      : `dies with what it has not replicated; its replica takes over${after(ms)}`,
  real: (deployment) => [choreography(deployment)],
  isMostTelling: () => true,
};

function choreography(deployment: Deployment): Choreography {
  const { isEnsemble, isSynchronous, failover: description = '' } = deployment;
  const variant = 'clocks level';
  // These have replicated their grants.
  if (isEnsemble || isSynchronous)
    return { description, variant, steps: [{ do: 'failover' }, TAKEOVER] };
  return {
    description,
    variant,
    before: [{ do: 'stopReplication' }],
    steps: [RENEWED, { do: 'failover' }, TAKEOVER],
  };
}
