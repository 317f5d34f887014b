import fc from 'fast-check';
import { injectionTimes, maskOf, PLAIN } from '../../sim/schedule/arbitrary-parts.ts';
import type { FaultUnderTest } from '../../sim/schedule/fault.ts';
import { LASTING, MASK, NTH } from '../../sim/schedule/fields.ts';
import type { Choreography, Deployment } from '../../sim/schedule/real.ts';
import { areIndependent, RENEWED, TAKEOVER, toOneOfABareMajority } from '../parts/real.ts';
import { briefMs, injectIntoServers, type OnServers } from '../parts/servers.ts';
import { after, plural } from '../parts/words.ts';

/** The last `writes` writes of each node are lost. */
type TornLog = OnServers & { readonly writes: number };

export const tornLog: FaultUnderTest<TornLog> = {
  id: 'torn-log',
  meaning: 'power loss: the tail of the log is gone',
  reason: 'a server lost the end of its log, and the lock with it',
  fields: { when: true, numbers: { nodes: MASK, ms: LASTING, writes: NTH } },
  needs: 'servers',
  generate: (c) =>
    fc.record(
      {
        kind: fc.constant('torn-log'),
        nodes: maskOf(c),
        when: injectionTimes(c),
        ms: briefMs,
        writes: fc.integer({ min: 1, max: 6 }),
      },
      PLAIN,
    ),
  arm: (run, fault, index) =>
    injectIntoServers(run, fault, index, fault.ms, (servers) => {
      const { writes: lost, ms: downMs } = fault;
      for (const server of servers) server.restart({ data: 'torn', lost, downMs });
    }),
  text: ({ writes, ms }) =>
    `power loss; back without the last ${plural(writes, 'write')}${after(ms)}`,
  real: (deployment) => [choreography(deployment)],
  isMostTelling: ({ lock }) => lock?.renews === true,
};

function choreography(deployment: Deployment): Choreography {
  if (areIndependent(deployment))
    return toOneOfABareMajority(
      deployment,
      'loses the end of its log with its power',
      (servers) => ({
        before: [{ do: 'keepLog', servers }],
        steps: [{ do: 'restart', servers, data: 'torn' }],
      }),
    );
  const { called, rejectsAheadClients } = deployment;
  const back = { do: 'restart', servers: 'all', data: 'torn' } as const;
  const before = [{ do: 'keepLog', servers: 'all' }] as const;
  if (rejectsAheadClients)
    return {
      description: `${called} is killed and comes back without what its log recorded since before the grant, and a new client starts that has seen nothing`,
      variant: 'all servers',
      before,
      steps: [RENEWED, back, { do: 'arrive' }, TAKEOVER],
    };
  return {
    description: 'power loss: what the log recorded since before the grant is lost',
    before,
    steps: [RENEWED, back, TAKEOVER],
  };
}
