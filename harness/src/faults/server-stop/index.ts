import type { FaultUnderTest } from '../../sim/schedule/fault.ts';
import type { Choreography, Deployment, ServerTarget } from '../../sim/schedule/real.ts';
import { areIndependent, first, OVER, some } from '../parts/real.ts';
import {
  injectIntoServers,
  ON_SERVERS,
  type OnServers,
  onServers,
  outageMs,
} from '../parts/servers.ts';

export const serverStop: FaultUnderTest<OnServers> = {
  id: 'server-stop',
  meaning: 'servers are paused, then resume',
  reason: 'a server was paused',
  fields: ON_SERVERS,
  needs: 'servers',
  takesServiceAway: true,
  generate: (c) => onServers('server-stop', c, outageMs),
  arm: (run, fault, index) =>
    injectIntoServers(run, fault, index, fault.ms, (servers) => {
      for (const server of servers) server.stop(fault.ms);
    }),
  text: ({ ms }) => `paused for ${ms} ms`,
  real: (deployment) => [choreography(deployment)],
  isMostTelling: () => true,
};

function choreography(deployment: Deployment): Choreography {
  const { servers, called, isEnsemble } = deployment;
  const minority = Math.floor((servers - 1) / 2);
  if (areIndependent(deployment))
    return stopped(`${some(minority, deployment)} are paused`, first(minority));
  return isEnsemble
    ? stopped('the leader is paused', 'leader')
    : stopped(`${called} is paused`, 'all');
}

function stopped(description: string, servers: ServerTarget): Choreography {
  return {
    description: `${description} (SIGSTOP)`,
    steps: [{ do: 'stop', servers }, OVER, { do: 'resumeServers', servers }],
  };
}
