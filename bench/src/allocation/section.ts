import { RedisServer } from '@holdfast/harness/real';
import { chosenOf } from '../candidate.ts';
import { CANDIDATES } from '../candidates.ts';
import { type Section, section } from '../section.ts';
import { table, whole } from '../table.ts';
import { type Allocation, measureAllocation } from './measure.ts';

/** Processes beside each other: what is counted does not depend on the time. */
const AT_ONCE = 2;

/** Bytes allocated by a pair, and retained by a lease. */
export const allocation: Section = section<readonly Allocation[]>({
  name: 'allocation',
  async measure({ tell, only }) {
    const server = await RedisServer.start();
    try {
      const counts: Allocation[] = [];
      const chosen = chosenOf(CANDIDATES, only);
      for (let from = 0; from < chosen.length; from += AT_ONCE) {
        const some = chosen.slice(from, from + AT_ONCE);
        tell(`allocation: ${some.map(({ name, client }) => `${name} over ${client}`).join(', ')}`);
        const measured = some.map((candidate) => measureAllocation(candidate, server.url));
        counts.push(...(await Promise.all(measured)));
      }
      return counts;
    } finally {
      await server.close();
    }
  },
  text: (counts) =>
    [
      'Bytes on the heap: allocated by a pair of acquire and release, retained by a lease that is held',
      table([
        ['', 'client', 'a pair', 'a lease'],
        ...counts.map(({ candidate, client, allocatedBytes, retainedBytes }) => [
          candidate,
          client,
          whole(allocatedBytes),
          whole(retainedBytes),
        ]),
      ]),
    ].join('\n'),
});
