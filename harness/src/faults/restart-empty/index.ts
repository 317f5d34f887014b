import fc from 'fast-check';
import { TTL_MS } from '../../sim/schedule/arbitrary-parts.ts';
import type { FaultUnderTest } from '../../sim/schedule/fault.ts';
import type { Choreography, Deployment } from '../../sim/schedule/real.ts';
import { areIndependent, RENEWED, TAKEOVER, toOneOfABareMajority, word } from '../parts/real.ts';
import {
  briefMs,
  injectIntoServers,
  ON_SERVERS,
  type OnServers,
  onServers,
} from '../parts/servers.ts';
import { after } from '../parts/words.ts';
import { rollingRestarts } from './rolling.ts';

/** By then whatever a server has forgotten is over. */
const delayMs = fc.integer({ min: TTL_MS, max: 3 * TTL_MS });

export const restartEmpty: FaultUnderTest<OnServers> = {
  id: 'restart-empty',
  meaning: 'servers crash and come back without their data',
  reason: 'a server came back without its data and had forgotten the lock',
  fields: ON_SERVERS,
  // A majority, one after another, under one long lease; or back after a ttl at the earliest, and not at once.
  varies: ['rolling', 'delayed'],
  needs: 'servers',
  generate: (c) => onServers('restart-empty', c, c.variation === 'delayed' ? delayMs : briefMs),
  generatedAs: (variation, nodes) => (variation === 'rolling' ? rollingRestarts(nodes) : undefined),
  arm: (run, fault, index) =>
    injectIntoServers(run, fault, index, fault.ms, (servers) => {
      for (const server of servers) server.restart({ data: 'empty', downMs: fault.ms });
    }),
  text: ({ ms }) => `crash; back without data${after(ms)}`,
  // Sooner back it does harm of another kind, and a smaller number is the worse one.
  staysAway: ({ ms }, ttlMs) => ms >= ttlMs,
  real: (deployment) => [really(deployment)],
  isMostTelling: ({ isEnsemble }) => !isEnsemble,
};

function really(deployment: Deployment): Choreography {
  const { called, servers, isEnsemble, rejectsAheadClients } = deployment;
  if (areIndependent(deployment))
    return toOneOfABareMajority(deployment, 'comes back without its data', (one) => ({
      steps: [{ do: 'restart', servers: one, data: 'empty' }],
    }));
  if (isEnsemble)
    return {
      told: `one of the ${word(servers)} comes back without its data`,
      variant: 'a minority',
      steps: [RENEWED, { do: 'restart', servers: 'follower', data: 'empty' }, TAKEOVER],
    };
  if (rejectsAheadClients)
    return {
      told: `${called} is killed and comes back without its data, and a new client comes that has seen nothing`,
      variant: 'all servers, a newcomer',
      // Tokens are what the server has counted: it has to be far ahead, or the one that begins anew would catch up with it.
      before: [{ do: 'age' }],
      steps: [
        RENEWED,
        { do: 'restart', servers: 'all', data: 'empty' },
        { do: 'arrive' },
        TAKEOVER,
      ],
    };
  return {
    told: `${called} is killed and comes back without its data`,
    steps: [RENEWED, { do: 'restart', servers: 'all', data: 'empty' }, TAKEOVER],
  };
}
