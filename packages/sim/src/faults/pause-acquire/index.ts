import { longMs, pointsOf } from '../../schedule/arbitrary-parts.ts';
import type { FaultUnderTest } from '../../schedule/fault.ts';
import {
  ON_CLIENT,
  type OnClient,
  onClient,
  standStill,
  whileAcquiring,
} from '../parts/clients.ts';
import { anchor } from '../parts/words.ts';

export const pauseAcquire: FaultUnderTest<OnClient> = {
  id: 'pause-acquire',
  meaning: 'a process stands still while it acquires',
  reason: 'a process stood still while it acquired',
  fields: ON_CLIENT,
  generate: (c) => onClient('pause-acquire', whileAcquiring(pointsOf(c)), longMs),
  arm: (arena, fault, index) =>
    standStill(arena, fault, index, {
      matters: () => arena.isSoughtBy(fault.client),
      // Once it has the lease it is a holder that stands still.
      isMeant: ({ waiting, holding }) => waiting > 0 && holding === 0,
    }),
  text: ({ ms, when }) => `stands still for ${ms} ms${anchor(when)}`,
};
