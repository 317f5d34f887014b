import type { FaultUnderTest } from '../../schedule/fault.ts';
import {
  ON_SERVERS,
  type OnServers,
  onServers,
  outageMs,
  strikeServers,
} from '../parts/servers.ts';

export const serverStop: FaultUnderTest<OnServers> = {
  id: 'server-stop',
  meaning: 'servers stand still, then go on',
  reason: 'a server stood still',
  fields: ON_SERVERS,
  needs: 'servers',
  generate: (c) => onServers('server-stop', c, outageMs),
  arm: (arena, fault, index) =>
    strikeServers(arena, fault, index, fault.ms, (servers) => {
      for (const server of servers) server.stop(fault.ms);
    }),
  text: ({ ms }) => `standstill for ${ms} ms`,
};
