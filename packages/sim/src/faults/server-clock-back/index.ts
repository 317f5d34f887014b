import type { FaultUnderTest } from '../../schedule/fault.ts';
import { jumpMs, ON_SERVERS, type OnServers, onServers, strikeServers } from '../parts/servers.ts';
import { jump } from '../parts/words.ts';

export const serverClockBack: FaultUnderTest<OnServers> = {
  id: 'server-clock-back',
  meaning: 'the wall clock of servers jumps back',
  reason: "a server's wall clock stepped back",
  fields: ON_SERVERS,
  needs: 'servers',
  isSudden: true,
  generate: (c) => onServers('server-clock-back', c, jumpMs),
  // A jump is over at once; what follows from it is not the jump.
  arm: (arena, fault, index) =>
    strikeServers(arena, fault, index, 0, (servers) => {
      for (const server of servers) server.jumpWall(-fault.ms);
    }),
  text: ({ ms }) => jump(-ms),
  jumpMs: ({ ms }) => ms,
};
