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
      // A client that has the lease is a paused holder, which is another fault.
      applies: ({ waiting, holding }) => waiting > 0 && holding === 0,
    }),
  text: ({ ms, when }) => `is paused for ${ms} ms${anchor(when)}`,
  real: ({ lock, isUserOwned }) => {
    if (lock === undefined) return { unplayable: 'there are no waiters' };
    if (lock.trustsClientClocks)
      return {
        unplayable:
          'only simulated: it breaks between its clock reading and its request, where no signal can be aimed',
      };
    // The user's own servers get only the few faults that show most.
    if (isUserOwned) return { unplayable: 'only run on servers that the lab starts' };
    return [
      {
        description: 'the waiter’s process is paused (SIGSTOP), and the holder leaves',
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
