import fc from 'fast-check';
import { soonAfterStart } from '../../sim/schedule/arbitrary-parts.ts';
import type { FaultUnderTest } from '../../sim/schedule/fault.ts';
import { injectIntoClient, inside, onceOnClient } from '../parts/clients.ts';
import type { ClientField, WhenField } from '../parts/elements.ts';
import { TAKEOVER } from '../parts/real.ts';

export const holderCrash: FaultUnderTest<ClientField & WhenField> = {
  id: 'holder-crash',
  meaning: 'the holder crashes and releases nothing',
  reason: 'the holder crashed',
  fields: { client: true, when: true, numbers: {} },
  generate: () =>
    onceOnClient('holder-crash', (by) => fc.oneof(inside(by), inside(by), soonAfterStart)),
  arm: (run, fault, index) =>
    injectIntoClient(run, fault, index, {
      lastingMs: 0,
      isRelevant: () => run.isContendedHolder(fault.client),
      act: ({ process }) => {
        run.recorder.crashed(process);
        process.crash();
        run.clientChanged();
      },
    }),
  text: () => 'crashes',
  real: () => [
    {
      description: 'the holder’s process is killed (kill -9)',
      steps: [{ do: 'kill', client: 'holder' }, TAKEOVER],
    },
  ],
  isMostTelling: () => true,
};
