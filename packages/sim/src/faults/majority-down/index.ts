import { majorityOf } from '../../schedule/arbitrary-parts.ts';
import type { FaultUnderTest } from '../../schedule/fault.ts';
import { backWithData, ON_SERVERS, type OnServers, onServers, outageMs } from '../parts/servers.ts';
import { after } from '../parts/words.ts';

export const majorityDown: FaultUnderTest<OnServers> = {
  id: 'majority-down',
  meaning: 'too few servers are left',
  reason: 'too few servers were left',
  fields: ON_SERVERS,
  needs: 'servers',
  generate: (c) => onServers('majority-down', c, outageMs, majorityOf(c)),
  arm: backWithData,
  text: ({ ms }) => `crash; back with all data${after(ms)}`,
};
