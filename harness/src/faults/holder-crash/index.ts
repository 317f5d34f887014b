import fc from 'fast-check';
import { soon } from '../../sim/schedule/arbitrary-parts.ts';
import type { FaultUnderTest } from '../../sim/schedule/fault.ts';
import { inside, onceOnClient, strikeClient } from '../parts/clients.ts';
import type { Aimed, OfClient } from '../parts/elements.ts';
import { TAKEOVER } from '../parts/real.ts';

export const holderCrash: FaultUnderTest<OfClient & Aimed> = {
  id: 'holder-crash',
  meaning: 'the holder dies and gives nothing back',
  reason: 'the holder died',
  fields: { client: true, when: true, numbers: {} },
  generate: () => onceOnClient('holder-crash', (by) => fc.oneof(inside(by), inside(by), soon)),
  arm: (arena, fault, index) =>
    strikeClient(arena, fault, index, {
      lastingMs: 0,
      matters: () => arena.isHeldBy(fault.client),
      act: ({ process }) => {
        arena.recorder.crashed(process);
        process.crash();
        arena.changed();
      },
    }),
  text: () => 'dies',
  real: () => [
    {
      told: 'the process of the holder dies (kill -9)',
      steps: [{ do: 'kill', client: 'holder' }, TAKEOVER],
    },
  ],
  tellsMost: () => true,
};
