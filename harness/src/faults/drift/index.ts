import fc from 'fast-check';
import { type Circumstances, client, maskOf, PLAIN } from '../../sim/schedule/arbitrary-parts.ts';
import type { FaultUnderTest } from '../../sim/schedule/fault.ts';
import type { Run } from '../../sim/schedule/run.ts';
import type { Fault } from '../../sim/schedule/schedule.ts';

/** Of one client or of nodes, from the start. */
interface Drift extends Fault {
  readonly ppm: number;
}

/** Within the margin even if two clocks err in opposite directions: it covers one in a hundred. */
const PPM_WITHIN = 5_000;
const PPM_BEYOND = { min: 30_000, max: 300_000 };

export const drift: FaultUnderTest<Drift> = {
  id: 'drift',
  meaning: 'a clock runs fast or slow',
  reason: 'two clocks ran at different speeds',
  fields: { either: true, numbers: { ppm: { min: -500_000, max: 500_000, benign: 0 } } },
  // By what the margin covers, or by more, as usual.
  varies: ['within', 'beyond'],
  isTimeless: true,
  generation: { holdsToTheEnd: true },
  generate,
  arm,
  text: ({ ppm }) => `clocks run ${Math.abs(ppm)} ppm ${ppm < 0 ? 'slow' : 'fast'}`,
  real: () => ({ unplayable: 'only simulated: one host has one clock, and it runs at one rate' }),
};

function generate(circumstances: Circumstances): fc.Arbitrary<Drift> {
  const size =
    circumstances.variation === 'within'
      ? fc.integer({ min: -PPM_WITHIN, max: PPM_WITHIN })
      : fc.integer(PPM_BEYOND).chain((ppm) => fc.constantFrom(ppm, -ppm));
  const kind = fc.constant('drift');
  const nodes = maskOf(circumstances);
  const ofOne = fc.record({ kind, client, ppm: size }, PLAIN);
  if (circumstances.nodes === 0) return ofOne;
  return fc.oneof<fc.Arbitrary<Drift>[]>(ofOne, fc.record({ kind, nodes, ppm: size }, PLAIN));
}

function arm(run: Run, { kind, client: id, nodes = 0, ppm }: Drift, index: number): void {
  const one = id === undefined ? undefined : run.clients.get(id)?.process;
  const all = one === undefined ? run.cluster.serving(nodes) : [one];
  if (all.length === 0) return;
  for (const each of all) each.setDrift(ppm);
  const injection = { kind, fault: index, actors: all.map(({ name }) => name) };
  run.injections.add(injection, Number.POSITIVE_INFINITY, () => run.isContended());
}
