import fc from 'fast-check';
import { injectionTimes, maskOf, PLAIN } from '../../sim/schedule/arbitrary-parts.ts';
import type { FaultUnderTest } from '../../sim/schedule/fault.ts';
import { LASTING, MASK } from '../../sim/schedule/fields.ts';
import { clientIdsIn } from '../../sim/schedule/schedule.ts';
import { RENEWED, TAKEOVER } from '../parts/real.ts';
import { injectIntoPeers, type OnServers, outageMs } from '../parts/servers.ts';

/** `stay` names the clients that stay with the old master. */
type SplitBrain = OnServers & { readonly stay: string };

export const splitBrain: FaultUnderTest<SplitBrain> = {
  id: 'split-brain',
  meaning: 'a replica is promoted, and the old master still serves some of the clients',
  reason: 'two masters served clients at once',
  fields: { when: true, stay: true, numbers: { nodes: MASK, ms: LASTING } },
  needs: 'replicas',
  generate: (c) =>
    fc.record(
      {
        kind: fc.constant('split-brain'),
        nodes: maskOf(c),
        when: injectionTimes(c),
        ms: outageMs,
        stay: fc.constantFrom('a', 'b', 'c', 'ab', 'ac', 'bc'),
      },
      PLAIN,
    ),
  arm: (run, fault, index) =>
    injectIntoPeers(run, fault, index, () =>
      run.cluster.splitBrain?.(fault.nodes, fault.ms, clientIdsIn(fault.stay)),
    ),
  text: ({ ms }, { isEnsemble }) =>
    isEnsemble
      ? `the leader is cut off from the others for ${ms} ms`
      : `cut off, yet lives on as a second master for ${ms} ms`,
  real: ({ isSynchronous }) => [
    {
      description: isSynchronous
        ? 'a standby is promoted and all clients but the holder are sent there; the old primary still runs, and no standby confirms its commits'
        : 'the replica is promoted and all clients but the holder are sent there; the old master still serves the holder',
      variant: 'clocks level',
      before: isSynchronous ? [] : [{ do: 'stopReplication' }],
      steps: [RENEWED, { do: 'splitBrain', stay: 'holder' }, TAKEOVER],
    },
  ],
  isMostTelling: ({ lock }) => lock?.renews === true,
};
