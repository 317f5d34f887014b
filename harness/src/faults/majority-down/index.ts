import { majorityOf } from '../../sim/schedule/arbitrary-parts.ts';
import type { FaultUnderTest } from '../../sim/schedule/fault.ts';
import type { Choreography, Deployment } from '../../sim/schedule/real.ts';
import { areIndependent, majorityIn, OVER, some } from '../parts/real.ts';
import { backWithData, ON_SERVERS, type OnServers, onServers, outageMs } from '../parts/servers.ts';
import { after } from '../parts/words.ts';

export const majorityDown: FaultUnderTest<OnServers> = {
  id: 'majority-down',
  meaning: 'too few servers are left',
  reason: 'too few servers were left',
  fields: ON_SERVERS,
  needs: 'servers',
  takesServiceAway: true,
  generate: (c) => onServers('majority-down', c, outageMs, majorityOf(c)),
  arm: backWithData,
  text: ({ ms }) => `crash; back with all data${after(ms)}`,
  real: (deployment) => [choreography(deployment)],
  isMostTelling: areIndependent,
};

function choreography(deployment: Deployment): Choreography {
  const { called, isEnsemble } = deployment;
  const majority = majorityIn(deployment);
  // Independent servers may forget when they restart, which is a fault of its own: they are paused instead.
  if (areIndependent(deployment))
    return {
      description: `${some(majority, deployment)} are paused (SIGSTOP)`,
      steps: [
        { do: 'stop', servers: 'majority' },
        OVER,
        { do: 'resumeServers', servers: 'majority' },
      ],
    };
  if (isEnsemble)
    return {
      description: `${some(majority, deployment)} are killed, the leader among them, and come back when the ttl is over`,
      steps: [
        { do: 'crash', servers: 'majority' },
        OVER,
        { do: 'restart', servers: 'affected', data: 'durable' },
      ],
    };
  return {
    description: `${called} is killed, and comes back with its log when the ttl is over`,
    steps: [
      { do: 'crash', servers: 'all' },
      OVER,
      { do: 'restart', servers: 'affected', data: 'durable' },
    ],
  };
}
