import fc from 'fast-check';
import { TTL_MS } from '../../schedule/arbitrary-parts.ts';
import type { FaultUnderTest } from '../../schedule/fault.ts';
import { briefMs, ON_SERVERS, type OnServers, onServers, strikeServers } from '../parts/servers.ts';
import { after } from '../parts/words.ts';
import { rollingRestarts } from './rolling.ts';

/** By then whatever a server has forgotten is over. */
const delayMs = fc.integer({ min: TTL_MS, max: 3 * TTL_MS });

export const restartEmpty: FaultUnderTest<OnServers> = {
  id: 'restart-empty',
  meaning: 'servers crash and come back without their data',
  reason: 'a server came back without its data and had forgotten the lock',
  fields: ON_SERVERS,
  varies: ['rolling', 'delayedRestart'],
  needs: 'servers',
  generate: (c) => onServers('restart-empty', c, c.delayedRestart === true ? delayMs : briefMs),
  rolling: rollingRestarts,
  arm: (arena, fault, index) =>
    strikeServers(arena, fault, index, fault.ms, (servers) => {
      for (const server of servers) server.restart({ data: 'empty', downMs: fault.ms });
    }),
  text: ({ ms }) => `crash; back without data${after(ms)}`,
  // Sooner back it does harm of another kind, and a smaller number is the worse one.
  staysAway: ({ ms }, ttlMs) => ms >= ttlMs,
};
