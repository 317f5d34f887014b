import fc from 'fast-check';
import { requestsOf, TTL_MS } from '../../sim/schedule/arbitrary-parts.ts';
import type { FaultUnderTest } from '../../sim/schedule/fault.ts';
import type { Choreography, Deployment } from '../../sim/schedule/real.ts';
import {
  DELAYED_MESSAGE,
  type DelayedMessage,
  delayedMessage,
  delayText,
  injectDelay,
} from '../parts/messages.ts';
import { bearableMs, OVER, TAKEOVER } from '../parts/real.ts';

export const delay: FaultUnderTest<DelayedMessage> = {
  id: 'delay',
  meaning: 'messages take variable time, less than the ttl',
  reason: 'a message took longer than the lock allows for',
  fields: DELAYED_MESSAGE,
  needs: 'servers',
  onlyDelays: true,
  isSudden: true,
  generate: (c) => delayedMessage('delay', c, requestsOf(c), fc.nat(TTL_MS)),
  arm: injectDelay,
  text: delayText,
  real: (deployment) => [
    deployment.lock?.trustsClientClocks === true ? ofTheHolder(deployment) : ofAll(deployment),
  ],
  isMostTelling: ({ lock }) => lock?.renews === true,
};

/** As a share of the ttl: a message sent at the lease's end arrives while the next holder holds. */
const LATE_SHARE = 0.4;

function ofAll(deployment: Deployment): Choreography {
  const ms = bearableMs(deployment);
  const of = deployment.isEnsemble ? ' of a client' : '';
  return {
    description: deployment.isUserOwned
      ? `every message of the lab’s clients takes ${ms} ms longer`
      : `every message${of} takes ${ms} ms`,
    steps: [{ do: 'delay', ms }, OVER, { do: 'heal', held: 'arrives' }],
  };
}

/** Delays the holder's messages only: its late release has to meet a lock that was taken over in time. */
function ofTheHolder({ ttlMs }: Deployment): Choreography {
  const ms = LATE_SHARE * ttlMs;
  return {
    description: `every message of the holder takes ${ms} ms, less than the ttl`,
    steps: [
      { do: 'await', moment: 'end' },
      { do: 'delay', client: 'holder', ms },
      TAKEOVER,
      { do: 'heal', held: 'arrives' },
    ],
  };
}
