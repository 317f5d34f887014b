import fc from 'fast-check';
import { pointsOf } from '../../sim/schedule/arbitrary-parts.ts';
import type { FaultUnderTest } from '../../sim/schedule/fault.ts';
import { SIGNED } from '../../sim/schedule/fields.ts';
import type { Choreography, ClientTarget } from '../../sim/schedule/real.ts';
import { injectIntoClient, type OnClient, onClient, whileHolding } from '../parts/clients.ts';
import { farMs, OVER } from '../parts/real.ts';
import { jump } from '../parts/words.ts';

export const clientClock: FaultUnderTest<OnClient> = {
  id: 'client-clock',
  meaning: 'the wall clock of a client jumps',
  reason: 'it trusts the wall clocks of its clients, and they disagree',
  fields: { client: true, when: true, numbers: { ms: SIGNED } },
  isSudden: true,
  generate: (c) =>
    onClient('client-clock', whileHolding(pointsOf(c)), fc.integer({ min: -4_000, max: 4_000 })),
  arm: (run, fault, index) =>
    injectIntoClient(run, fault, index, {
      lastingMs: 0,
      isRelevant: () => run.isContended(),
      act: ({ process }) => process.jumpWall(fault.ms),
    }),
  text: ({ ms }) => jump(ms),
  jumpMs: ({ ms }) => Math.abs(ms),
  real: (deployment) => {
    const ms = farMs(deployment);
    return [
      jumps('the wall clock of the waiter jumps ahead', 'waiter', ms),
      jumps('the wall clock of the holder jumps ahead', 'holder', ms),
      jumps('the wall clock of the holder jumps back', 'holder', -ms),
    ];
  },
  isMostTelling: ({ lock }) => lock?.trustsClientClocks === true,
};

function jumps(description: string, client: ClientTarget, ms: number): Choreography {
  return {
    description,
    steps: [{ do: 'jumpClock', client, ms }, OVER, { do: 'jumpClock', client, ms: 0 }],
  };
}
