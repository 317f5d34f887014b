import fc from 'fast-check';
import { pointsOf } from '../../schedule/arbitrary-parts.ts';
import type { FaultUnderTest } from '../../schedule/fault.ts';
import { SIGNED } from '../../schedule/fields.ts';
import { type OnClient, onClient, strikeClient, whileHolding } from '../parts/clients.ts';
import { jump } from '../parts/words.ts';

export const clientClock: FaultUnderTest<OnClient> = {
  id: 'client-clock',
  meaning: 'the wall clock of a client jumps',
  reason: 'it trusts the wall clocks of its clients, and they disagree',
  fields: { client: true, when: true, numbers: { ms: SIGNED } },
  isSudden: true,
  generate: (c) =>
    onClient('client-clock', whileHolding(pointsOf(c)), fc.integer({ min: -4_000, max: 4_000 })),
  arm: (arena, fault, index) =>
    strikeClient(arena, fault, index, {
      lastingMs: 0,
      matters: () => arena.isContended(),
      act: ({ process }) => process.jumpWall(fault.ms),
    }),
  text: ({ ms }) => jump(ms),
  jumpMs: ({ ms }) => Math.abs(ms),
};
