import { type Section, section } from '../section.ts';
import { table, whole } from '../table.ts';
import { type Holding, type HoldingLibrary, measureHolding } from './measure.ts';

type Run = readonly [leases: number, library: HoldingLibrary];

/** Those of a line are measured at the same time: they wait for renewals, and use a tenth of a core together. */
const RUNS: readonly (readonly Run[])[] = [
  [
    [1, 'ioredis'],
    [100, 'ioredis'],
  ],
  [
    [10_000, 'ioredis'],
    [10_000, 'resp'],
  ],
  [[100_000, 'resp']],
];

/** What it costs to hold: leases of 30 s that their watchdogs renew. */
export const holding: Section = section<readonly Holding[]>({
  name: 'holding',
  async measure({ tell }) {
    const figures: Holding[] = [];
    for (const runs of RUNS) {
      const names = runs.map(([leases, library]) => `${whole(leases)} leases over ${library}`);
      tell(`holding ${names.join(' and ')}`);
      figures.push(...(await Promise.all(runs.map((run) => measureHolding(...run)))));
    }
    return figures;
  },
  text: (figures) =>
    [
      'Leases of 30 s held by one process, for two periods of their renewals; of 10,000 and more the second is counted',
      table([
        [
          'leases',
          'over',
          'CPU of a core',
          'renewals',
          'lost',
          'bytes of a lease',
          'commands/s at the server',
          'busiest second',
          'commands to acquire',
          'bytes at the server',
          'connections',
        ],
        ...figures.map(({ leases, library, cpu, renewals, lost, bytes, filled, ...commands }) => [
          whole(leases),
          library,
          `${(100 * cpu).toFixed(1)} %`,
          whole(renewals),
          whole(lost),
          whole(bytes),
          commands.commandsMean.toFixed(1),
          `× ${(commands.commandsMax / commands.commandsMean).toFixed(2)}`,
          filled.commandsPerLease.toFixed(1),
          whole(filled.bytesPerLease),
          `${filled.connections}`,
        ]),
      ]),
    ].join('\n'),
});
