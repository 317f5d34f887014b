import fc from 'fast-check';
import { requestsOf, TTL_MS } from '../../sim/schedule/arbitrary-parts.ts';
import type { FaultUnderTest } from '../../sim/schedule/fault.ts';
import {
  DELAYED_MESSAGE,
  type DelayedMessage,
  delayedMessage,
  delayText,
  injectDelay,
} from '../parts/messages.ts';
import { OVER } from '../parts/real.ts';

/** Delays messages to the resource, too. */
export const reorder: FaultUnderTest<DelayedMessage> = {
  id: 'reorder',
  meaning: 'messages take any time, and connections overtake each other',
  reason: 'messages overtook one another',
  fields: DELAYED_MESSAGE,
  onlyDelays: true,
  isSudden: true,
  generate: (c) =>
    delayedMessage('reorder', c, [...requestsOf(c), 'write', 'write'], fc.nat(4 * TTL_MS)),
  arm: injectDelay,
  text: delayText,
  real: () => [
    {
      description:
        'the holder’s messages, its write too, are held back past its ttl and then delivered',
      steps: [
        { do: 'holdWrites', client: 'holder' },
        // It checks its lease, which is valid, and writes.
        { do: 'leave' },
        { do: 'cut', client: 'holder' },
        OVER,
        { do: 'heal', held: 'arrives' },
        { do: 'releaseWrites', client: 'holder' },
      ],
    },
  ],
};
