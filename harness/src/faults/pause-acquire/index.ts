import { longMs, pointsOf } from '../../sim/schedule/arbitrary-parts.ts';
import type { FaultUnderTest } from '../../sim/schedule/fault.ts';
import {
  ON_CLIENT,
  type OnClient,
  onClient,
  pauseClient,
  whileAcquiring,
} from '../parts/clients.ts';
import { OVER } from '../parts/real.ts';
import { anchor } from '../parts/words.ts';

export const pauseAcquire: FaultUnderTest<OnClient> = {
  id: 'pause-acquire',
  meaning: 'a process is paused while it acquires',
  reason: 'a process was paused while it acquired',
  fields: ON_CLIENT,
  generate: (c) => onClient('pause-acquire', whileAcquiring(pointsOf(c)), longMs),
  arm: (run, fault, index) =>
    pauseClient(run, fault, index, {
      isRelevant: () => run.isContendedWaiter(fault.client),
      // Once it has the lease it is a holder that stands still.
      applies: ({ waiting, holding }) => waiting > 0 && holding === 0,
    }),
  text: ({ ms, when }) => `is paused for ${ms} ms${anchor(when)}`,
  real: ({ lock, isUserOwned }) => {
    if (lock === undefined) return { unplayable: 'nobody waits there' };
    if (lock.trustsClientClocks)
      return {
        unplayable:
          'it breaks between its look at the clock and what it sends, and a signal cannot be aimed there; it is only simulated',
      };
    // On servers of the user's only the few faults are played that tell most.
    if (isUserOwned) return { unplayable: 'it is played on servers of the laboratory’s own alone' };
    return [
      {
        told: 'the waiter’s process is paused (SIGSTOP), and the holder leaves',
        steps: [
          { do: 'pause', client: 'waiter' },
          { do: 'leave' },
          OVER,
          { do: 'resume', client: 'waiter' },
        ],
      },
    ];
  },
};
