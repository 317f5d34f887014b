import { longMs, pointsOf } from '../../sim/schedule/arbitrary-parts.ts';
import type { FaultUnderTest } from '../../sim/schedule/fault.ts';
import { ON_CLIENT, type OnClient, onClient, pauseClient, whileHolding } from '../parts/clients.ts';
import { heldUp } from '../parts/real.ts';
import { anchor } from '../parts/words.ts';

export const pause: FaultUnderTest<OnClient> = {
  id: 'pause',
  meaning: 'the holder stands still past its ttl, between a check and its write',
  reason: 'a process stood still between two of its steps',
  fields: ON_CLIENT,
  pausesClients: true,
  generate: (c) => onClient('pause', whileHolding(pointsOf(c)), longMs),
  arm: pauseClient,
  text: ({ ms, when }) => `stands still for ${ms} ms${anchor(when)}`,
  real: () => [
    heldUp('the process of the holder stands still (SIGSTOP) past its ttl', 'pause', 'holder'),
  ],
  isMostTelling: () => true,
};
