import fc from 'fast-check';

import { type Circumstances, PLAIN } from '../../sim/schedule/arbitrary-parts.ts';
import type { FaultUnderTest } from '../../sim/schedule/fault.ts';
import type { Run } from '../../sim/schedule/run.ts';
import type { Fault } from '../../sim/schedule/schedule.ts';
import { really } from './real.ts';
import { shareOf } from './share.ts';

/** The first server runs fast by `ppm`, the last one slow by as much, those between them in even steps. */
interface ClockSmear extends Fault {
  readonly ppm: number;
}

/** Within the margin, which covers one in a hundred, also where clocks of clients err as much the other way. */
const PPM_WITHIN = 5_000;
const PPM_BEYOND = { min: 30_000, max: 300_000 };

export const clockSmear: FaultUnderTest<ClockSmear> = {
  id: 'clock-smear',
  meaning: 'the clocks of all servers run apart, each at a rate of its own',
  reason: 'clocks of servers ran at rates of their own',
  fields: { numbers: { ppm: { min: -500_000, max: 500_000, benign: 0 } } },
  // By what the margin covers, or by more, as usual.
  varies: ['within', 'beyond'],
  isTimeless: true,
  needs: 'servers',
  generation: { holdsToTheEnd: true },
  generate,
  arm,
  text: ({ ppm }) =>
    `clocks run apart, the first ${Math.abs(ppm)} ppm ${ppm < 0 ? 'slow' : 'fast'}`,
  real: really,
};

function generate({ variation }: Circumstances): fc.Arbitrary<ClockSmear> {
  const ppm =
    variation === 'within'
      ? fc.integer({ min: -PPM_WITHIN, max: PPM_WITHIN })
      : fc.integer(PPM_BEYOND).chain((size) => fc.constantFrom(size, -size));
  return fc.record({ kind: fc.constant('clock-smear'), ppm }, PLAIN);
}

function arm(run: Run, { kind, ppm }: ClockSmear, index: number): void {
  const servers = run.cluster.members;
  if (servers.length === 0) return;
  for (const [place, server] of servers.entries())
    server.setDrift(Math.round(ppm * shareOf(place, servers.length)));
  const told = { kind, fault: index, actors: servers.map(({ name }) => name) };
  run.injections.add(told, Number.POSITIVE_INFINITY, () => run.isContended());
}
