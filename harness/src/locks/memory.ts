import { openMemory } from '@holdfast/core/backend';
import type { LivenessBounds } from '../simulator/index.ts';
import type { LockUnderTest } from './lock.ts';
import { BACK_OFF_MS, DRIFT, leftoversMs, openingMs, SPARE_MS } from './patience.ts';

/** A waiter without a subscription only has to subscribe. */
const OPENING_WAYS = 2;

/** Four ways: the release to the server, the notification to the waiter, the waiter's attempt and its reply. */
const patience: LivenessBounds = {
  settleMs: (of) => DRIFT * (leftoversMs(of) + BACK_OFF_MS) + 4 * of.latencyMs,
  handoverMs: (of) => 4 * of.latencyMs + openingMs(of, OPENING_WAYS) + SPARE_MS,
};

export const memory: LockUnderTest = {
  name: 'memory',
  kind: 'lock',
  needs: 'nothing',
  on: [
    {
      id: 'memory',
      nodes: 0,
      meaning: 'locks within one process: nothing to run, and gone with the process',
    },
  ],
  open: ({ store, link }, host) => openMemory({ store, link }, host),
  promises: { renews: true, tokens: true, tidy: true, patience },
  style: { glyph: '★', variant: '☆', colour: 'gray', shape: 'star' },
  margin: { isPromised: true },
};
