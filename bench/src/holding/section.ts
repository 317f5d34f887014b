import { type Section, section } from '../section.ts';
import { table, whole } from '../table.ts';
import { type Holding, measureHolding } from './measure.ts';

const LEASES = [10_000, 100_000];

/** What it costs to hold: leases of 30 s that their watchdogs renew. */
export const holding: Section = section<readonly Holding[]>({
  name: 'holding',
  async measure({ tell }) {
    const figures: Holding[] = [];
    for (const leases of LEASES) {
      tell(`holding ${whole(leases)} leases`);
      figures.push(await measureHolding(leases));
    }
    return figures;
  },
  text: (figures) =>
    [
      'Leases of 30 s held by one process over ioredis, for two periods of their renewals',
      table([
        [
          'leases',
          'CPU of a core',
          'renewals',
          'lost',
          'commands/s at the server',
          'busiest second',
        ],
        ...figures.map(({ leases, cpu, renewals, lost, commandsMean, commandsMax }) => [
          whole(leases),
          `${(100 * cpu).toFixed(1)} %`,
          whole(renewals),
          whole(lost),
          whole(commandsMean),
          `× ${(commandsMax / commandsMean).toFixed(2)}`,
        ]),
      ]),
    ].join('\n'),
});
