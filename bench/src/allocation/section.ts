import { RedisServer } from '@holdfast/harness/real';
import { chosenOf } from '../candidate.ts';
import { CANDIDATES } from '../candidates.ts';
import { type Section, section } from '../section.ts';
import { table, whole } from '../table.ts';
import { type Allocation, measureAllocation } from './measure.ts';

/** Bytes allocated by a pair, and retained by a lease. */
export const allocation: Section = section<readonly Allocation[]>({
  name: 'allocation',
  async measure({ tell, only }) {
    const server = await RedisServer.start();
    try {
      const counts: Allocation[] = [];
      for (const candidate of chosenOf(CANDIDATES, only)) {
        tell(`allocation: ${candidate.name} over ${candidate.client}`);
        counts.push(await measureAllocation(candidate, server.url));
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
