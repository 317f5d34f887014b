import { longMs } from '../../sim/schedule/arbitrary-parts.ts';
import type { FaultUnderTest } from '../../sim/schedule/fault.ts';
import { inside, ON_CLIENT, type OnClient, onClient, pauseClient } from '../parts/clients.ts';
import { pausedPastTtl } from '../parts/real.ts';
import { anchor } from '../parts/words.ts';

export const loopBlock: FaultUnderTest<OnClient> = {
  id: 'loop-block',
  meaning: 'the event loop is blocked inside the critical section',
  reason: 'the event loop was blocked',
  fields: ON_CLIENT,
  pausesClients: true,
  generate: () => onClient('loop-block', inside, longMs),
  arm: pauseClient,
  text: ({ ms, when }) => `event loop blocked for ${ms} ms${anchor(when)}`,
  real: () => [
    pausedPastTtl('the event loop of the holder is blocked past its ttl', 'block', 'holder'),
  ],
};
