import fc from 'fast-check';
import { requestsOf, TTL_MS } from '../../schedule/arbitrary-parts.ts';
import type { FaultUnderTest } from '../../schedule/fault.ts';
import { LATE, type Late, late, lateText, strikeLate } from '../parts/messages.ts';

export const delay: FaultUnderTest<Late> = {
  id: 'delay',
  meaning: 'messages take variable time, less than the ttl',
  reason: 'a message took longer than the lock reckons with',
  fields: LATE,
  needs: 'servers',
  isLateness: true,
  isSudden: true,
  generate: (c) => late('delay', c, requestsOf(c), fc.nat(TTL_MS)),
  arm: strikeLate,
  text: lateText,
};
