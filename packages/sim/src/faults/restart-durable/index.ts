import type { FaultUnderTest } from '../../schedule/fault.ts';
import { backWithData, ON_SERVERS, type OnServers, onServers, outageMs } from '../parts/servers.ts';
import { after } from '../parts/words.ts';

export const restartDurable: FaultUnderTest<OnServers> = {
  id: 'restart-durable',
  meaning: 'servers crash and come back with their data',
  reason: 'a server was away for a while',
  fields: ON_SERVERS,
  needs: 'servers',
  generate: (c) => onServers('restart-durable', c, outageMs),
  arm: backWithData,
  text: ({ ms }) => `crash; back with all data${after(ms)}`,
};
