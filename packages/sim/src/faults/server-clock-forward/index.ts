import type { FaultUnderTest } from '../../schedule/fault.ts';
import { jumpMs, ON_SERVERS, type OnServers, onServers, strikeServers } from '../parts/servers.ts';
import { jump } from '../parts/words.ts';

export const serverClockForward: FaultUnderTest<OnServers> = {
  id: 'server-clock-forward',
  meaning: 'the wall clock of servers jumps ahead',
  reason: 'a server ends leases by its wall clock, and that jumped ahead',
  fields: ON_SERVERS,
  needs: 'servers',
  isSudden: true,
  generate: (c) => onServers('server-clock-forward', c, jumpMs),
  // A jump is over at once; what follows from it is not the jump.
  arm: (arena, fault, index) =>
    strikeServers(arena, fault, index, 0, (servers) => {
      for (const server of servers) server.jumpWall(fault.ms);
    }),
  text: ({ ms }) => jump(ms),
  jumpMs: ({ ms }) => ms,
};
