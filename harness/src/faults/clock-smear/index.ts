import fc from 'fast-check';
import { type Circumstances, PLAIN } from '../../sim/schedule/arbitrary-parts.ts';
import type { FaultUnderTest } from '../../sim/schedule/fault.ts';
import type { Choreography, Deployment, Step, Unplayable } from '../../sim/schedule/real.ts';
import type { Run } from '../../sim/schedule/run.ts';
import type { Fault } from '../../sim/schedule/schedule.ts';
import { first, RENEWED, TAKEOVER } from '../parts/real.ts';

/** The first server runs fast by `ppm`, the last one slow by as much, the others in even steps between. */
interface ClockSmear extends Fault {
  readonly ppm: number;
}

/** Within the margin, which covers one in a hundred, even if clients' clocks err as much in the other direction. */
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
  real: choreographies,
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
  const injection = { kind, fault: index, actors: servers.map(({ name }) => name) };
  run.injections.add(injection, Number.POSITIVE_INFINITY, () => run.isContended());
}

/** Moves of each clock within a ttl: many, so that no clock jumps by more than a few ms. */
const MOVES = 20;
/** As a share of elapsed time. */
const RATE = 3 / 10;

/** A holder that renews is cut off, so that its lease expires. */
function choreographies({
  called,
  servers,
  isEnsemble,
  ttlMs,
  lock,
}: Deployment): readonly Choreography[] | Unplayable {
  if (isEnsemble)
    return {
      unplayable:
        'only simulated: a session ends by monotonic clocks, and only wall clocks are moved',
    };
  const cut: readonly Step[] = lock?.renews === true ? [{ do: 'cut', client: 'holder' }] : [];
  const farMs = RATE * ttlMs;
  const moves = first(MOVES).flatMap((move) => clocks((move + 1) / MOVES, servers, farMs));
  const description =
    servers === 1 ? `the clock of ${called} runs fast` : `the clocks of ${called} run apart`;
  return [
    {
      description:
        cut.length === 0 ? description : `${description}, and the holder is cut off from ${called}`,
      variant: 'beyond the margin',
      before: clocks(0, servers, farMs),
      steps: [
        RENEWED,
        ...cut,
        { do: 'meanwhile', everyMs: ttlMs / moves.length, steps: moves },
        TAKEOVER,
        { do: 'heal', held: 'lost' },
      ],
    },
  ];
}

/** The clocks' positions after this part of a ttl. Fast clocks start behind and catch up, as after a leap second. */
function clocks(part: number, servers: number, farMs: number): readonly Step[] {
  return first(servers).map((place) => {
    const share = shareOf(place, servers);
    const ms = farMs * share * (share > 0 ? part - 1 : part);
    return { do: 'jumpWall', servers: [place], ms };
  });
}

/** A server's share of the greatest rate: from 1 at the first server to -1 at the last. A single server has 1. */
function shareOf(place: number, servers: number): number {
  return servers === 1 ? 1 : 1 - (2 * place) / (servers - 1);
}
