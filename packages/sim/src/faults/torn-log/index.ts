import fc from 'fast-check';
import { blows, maskOf, PLAIN } from '../../schedule/arbitrary-parts.ts';
import type { FaultUnderTest } from '../../schedule/fault.ts';
import { LASTING, MASK, NTH } from '../../schedule/fields.ts';
import { briefMs, type OnServers, strikeServers } from '../parts/servers.ts';
import { after, plural } from '../parts/words.ts';

/** The last so many writes of each node are gone. */
type TornLog = OnServers & { readonly writes: number };

export const tornLog: FaultUnderTest<TornLog> = {
  id: 'torn-log',
  meaning: 'power loss: the tail of the log is gone',
  reason: 'a server lost the end of its log, and the lock with it',
  fields: { when: true, numbers: { nodes: MASK, ms: LASTING, writes: NTH } },
  needs: 'servers',
  generate: (c) =>
    fc.record(
      {
        kind: fc.constant('torn-log'),
        nodes: maskOf(c),
        when: blows(c),
        ms: briefMs,
        writes: fc.integer({ min: 1, max: 6 }),
      },
      PLAIN,
    ),
  arm: (arena, fault, index) =>
    strikeServers(arena, fault, index, fault.ms, (servers) => {
      const { writes: lost, ms: downMs } = fault;
      for (const server of servers) server.restart({ data: 'torn', lost, downMs });
    }),
  text: ({ writes, ms }) =>
    `power loss; back without the last ${plural(writes, 'write')}${after(ms)}`,
};
