import { longMs, pointsOf } from '../../sim/schedule/arbitrary-parts.ts';
import type { FaultUnderTest } from '../../sim/schedule/fault.ts';
import { ON_CLIENT, type OnClient, onClient, pauseClient, whileHolding } from '../parts/clients.ts';
import { pausedPastTtl } from '../parts/real.ts';
import { anchor } from '../parts/words.ts';

export const pause: FaultUnderTest<OnClient> = {
  id: 'pause',
  meaning: 'the holder is paused past its ttl, between a check and its write',
  reason: 'a process was paused between two of its steps',
  fields: ON_CLIENT,
  pausesClients: true,
  generate: (c) => onClient('pause', whileHolding(pointsOf(c)), longMs),
  arm: pauseClient,
  text: ({ ms, when }) => `is paused for ${ms} ms${anchor(when)}`,
  real: () => [
    pausedPastTtl('the holder’s process is paused (SIGSTOP) past its ttl', 'pause', 'holder'),
  ],
  isMostTelling: () => true,
};
