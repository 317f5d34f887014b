import { longMs, pointsOf } from '../../sim/schedule/arbitrary-parts.ts';
import type { FaultUnderTest } from '../../sim/schedule/fault.ts';
import {
  injectIntoClient,
  ON_CLIENT,
  type OnClient,
  onClient,
  whileHolding,
} from '../parts/clients.ts';
import { pausedPastTtl } from '../parts/real.ts';
import { anchor } from '../parts/words.ts';

export const suspend: FaultUnderTest<OnClient> = {
  id: 'suspend',
  meaning: 'a machine sleeps: its monotonic clock stops, its wall clock does not',
  reason: 'a machine slept, and its monotonic clock with it',
  fields: ON_CLIENT,
  pausesClients: true,
  generate: (c) => onClient('suspend', whileHolding(pointsOf(c)), longMs),
  arm: (run, fault, index) =>
    injectIntoClient(run, fault, index, {
      lastingMs: fault.ms,
      isRelevant: () => fault.ms > run.schedule.ttlMs && run.isContendedHolder(fault.client),
      act: ({ process }) => {
        run.recorder.paused(process, fault.ms);
        process.suspend(fault.ms);
      },
    }),
  text: ({ ms, when }) => `machine asleep for ${ms} ms${anchor(when)}`,
  real: () => [
    pausedPastTtl(
      'the machine of the holder sleeps past the ttl (SIGSTOP; its monotonic clock stops too)',
      'sleep',
      'holder',
    ),
  ],
};
