import { RedisServer } from '@holdfast/harness/real';
import { type Holding, measureHolding } from '../holding/measure.ts';
import { type Section, section } from '../section.ts';
import { table, whole } from '../table.ts';
import { KINDS, measureTurns, type TurnsResult } from './measure.ts';
import { turnsText } from './turns-text.ts';

interface FamilyFigures {
  readonly leases: Holding;
  readonly readers: Holding;
  readonly turns: readonly TurnsResult[];
}

const READERS = 1_000;
const ROUNDS = 5;
/** The work of one hold: nothing but the hand-overs count, or the hold does. */
const INSIDE_MS = [1, 100];

/** Readers and permits beside as many exclusive locks. */
export const family: Section = section<FamilyFigures>({
  name: 'family',
  async measure({ tell, rounds }) {
    tell('1 000 leases, then 1 000 readers');
    const leases = await measureHolding(READERS, 'ioredis');
    const readers = await measureHolding(READERS, 'ioredis', { as: 'readers' });
    const turns: TurnsResult[] = [];
    for (const insideMs of INSIDE_MS)
      turns.push(
        ...(await measureTurns(
          {
            kinds: KINDS,
            insideMs,
            rounds: Math.min(rounds, ROUNDS),
            start: () => RedisServer.start(),
          },
          tell,
        )),
      );
    return { leases, readers, turns };
  },
  text: ({ leases, readers, turns }) =>
    [
      '1 000 readers of one key, and 1 000 leases of as many keys, held by one process for two periods of their renewals',
      table([
        [
          '',
          'CPU of a core',
          'renewals',
          'lost',
          'commands/s',
          'to acquire',
          'bytes at the server',
        ],
        ...[leases, readers].map(({ cpu, renewals, lost, commandsMean, filled }, i) => [
          i === 0 ? 'leases' : 'readers',
          `${(100 * cpu).toFixed(1)} %`,
          whole(renewals),
          whole(lost),
          commandsMean.toFixed(1),
          filled.commandsPerLease.toFixed(1),
          whole(filled.bytesPerLease),
        ]),
      ]),
      turnsText(turns),
    ].join('\n'),
});
