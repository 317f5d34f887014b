import type { FaultUnderTest } from '../../sim/schedule/fault.ts';
import type { Choreography, Deployment } from '../../sim/schedule/real.ts';
import { areIndependent, farMs, OVER, TAKEOVER, toOneOfABareMajority } from '../parts/real.ts';
import {
  injectIntoServers,
  jumpMs,
  ON_SERVERS,
  type OnServers,
  onServers,
} from '../parts/servers.ts';
import { jump } from '../parts/words.ts';

export const serverClockBack: FaultUnderTest<OnServers> = {
  id: 'server-clock-back',
  meaning: 'the wall clock of servers jumps back',
  reason: "a server's wall clock stepped back",
  fields: ON_SERVERS,
  needs: 'servers',
  isSudden: true,
  generate: (c) => onServers('server-clock-back', c, jumpMs),
  // The jump takes no time; its consequences are not part of it.
  arm: (run, fault, index) =>
    injectIntoServers(run, fault, index, 0, (servers) => {
      for (const server of servers) server.jumpWall(-fault.ms);
    }),
  text: ({ ms }) => jump(-ms),
  jumpMs: ({ ms }) => ms,
  real: (deployment) => [choreography(deployment)],
};

function choreography(deployment: Deployment): Choreography {
  const { called, isEnsemble } = deployment;
  const ms = -farMs(deployment);
  if (areIndependent(deployment))
    return toOneOfABareMajority(deployment, 'has its clock jump back', (servers) => ({
      steps: [{ do: 'jumpWall', servers, ms }],
    }));
  // The control: an ensemble does not read wall clocks.
  if (isEnsemble)
    return {
      description: 'the wall clocks of all servers jump back',
      steps: [
        { do: 'jumpWall', servers: 'all', ms },
        OVER,
        { do: 'jumpWall', servers: 'all', ms: 0 },
      ],
    };
  return {
    description: `the wall clock of ${called} jumps back`,
    steps: [{ do: 'jumpWall', servers: 'all', ms }, TAKEOVER],
  };
}
