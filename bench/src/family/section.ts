import { type Holding, measureHolding } from '../holding/measure.ts';
import { type Section, section } from '../section.ts';
import { table, whole } from '../table.ts';
import { measureTurns, type TurnsResult } from './measure.ts';

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
    const readers = await measureHolding(READERS, 'ioredis', 'readers');
    const turns: TurnsResult[] = [];
    for (const insideMs of INSIDE_MS)
      turns.push(...(await measureTurns(insideMs, Math.min(rounds, ROUNDS), tell)));
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
      '1 000 callers of one process: a semaphore of 100 permits, or 100 keys with ten callers each. Medians, [minimum, maximum]',
      table([
        ['', 'ms inside', 'hand-overs/s', 'fewest turns of a caller', 'overtaken by'],
        ...turns.map(({ kind, insideMs, handOversPerSecond, turnsMin, overtakenMax }) => [
          kind,
          `${insideMs}`,
          `${whole(handOversPerSecond.median)} [${whole(handOversPerSecond.min)}, ${whole(handOversPerSecond.max)}]`,
          whole(turnsMin.median),
          whole(overtakenMax.median),
        ]),
      ]),
    ].join('\n'),
});
