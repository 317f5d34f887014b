import type { FaultUnderTest } from '../../sim/schedule/fault.ts';
import type { Choreography, Deployment } from '../../sim/schedule/real.ts';
import { areIndependent, RENEWED, TAKEOVER, toOneOfABareMajority, word } from '../parts/real.ts';
import { backWithData, ON_SERVERS, type OnServers, onServers, outageMs } from '../parts/servers.ts';
import { after } from '../parts/words.ts';

export const restartDurable: FaultUnderTest<OnServers> = {
  id: 'restart-durable',
  meaning: 'servers crash and come back with their data',
  reason: 'a server was away for a while',
  fields: ON_SERVERS,
  needs: 'servers',
  generate: (c) => onServers('restart-durable', c, outageMs),
  arm: backWithData,
  text: ({ ms }) => `crash; back with all data${after(ms)}`,
  real: (deployment) => [choreography(deployment)],
  isMostTelling: ({ servers, lock }) => servers === 1 && lock?.renews === true,
};

function choreography(deployment: Deployment): Choreography {
  const { called, servers, isEnsemble } = deployment;
  if (areIndependent(deployment))
    return toOneOfABareMajority(deployment, 'is killed and comes back with its log', (one) => ({
      steps: [{ do: 'restart', servers: one, data: 'durable' }],
    }));
  return {
    description: isEnsemble
      ? `all ${word(servers)} are killed and come back with their logs`
      : `${called} is killed and comes back with its log`,
    steps: [RENEWED, { do: 'restart', servers: 'all', data: 'durable' }, TAKEOVER],
  };
}
