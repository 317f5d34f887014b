import type { Contender, Opened } from './contender.ts';
import { type Spread, spreadOf } from './statistics.ts';
import { type Workload, workloads } from './workload.ts';

export interface Result {
  readonly contender: string;
  readonly client: Contender['client'];
  readonly workload: string;
  /** Acquire + release, both answered. */
  readonly cyclesPerSecond: Spread;
  /** Against raw calls over the same client in the same round; absent when raw did not run. */
  readonly ratioToRaw: Spread | undefined;
}

/** One contender with what every round brought, in cycles per second. */
interface Entrant {
  readonly contender: Contender;
  readonly opened: Opened;
  readonly rates: Map<Workload, number[]>;
}

/** Starts each round somewhere else and every other one backwards, so that nobody always follows the same neighbour. */
function orderOf<T>(entrants: readonly T[], round: number): T[] {
  const from = round % entrants.length;
  const rotated = [...entrants.slice(from), ...entrants.slice(0, from)];
  return round % 2 === 0 ? rotated : rotated.toReversed();
}

async function rateOf(workload: Workload, opened: Opened): Promise<number> {
  const startMs = performance.now();
  const cycles = await workload.run(opened);
  return (cycles / (performance.now() - startMs)) * 1000;
}

/**
 * Lets all contenders take turns, `rounds` times, after `warmUps` rounds that do not count: the machine's mood falls
 * on all of them alike, and ratios are taken within a round.
 */
export async function measure(
  contenders: readonly Contender[],
  url: string,
  {
    rounds,
    warmUps,
    onRound,
  }: { rounds: number; warmUps: number; onRound: (round: number) => void },
): Promise<Result[]> {
  const entrants: Entrant[] = [];
  try {
    for (const contender of contenders) {
      entrants.push({ contender, opened: await contender.open(url), rates: new Map() });
    }
    for (let round = -warmUps; round < rounds; round++) {
      onRound(round);
      await playRound(entrants, round + warmUps, round >= 0);
    }
    return workloads.flatMap((workload) =>
      entrants.map((entrant) => resultOf(entrant, workload, entrants)),
    );
  } finally {
    await Promise.all(entrants.map(({ opened }) => opened.close()));
  }
}

async function playRound(
  entrants: readonly Entrant[],
  order: number,
  counts: boolean,
): Promise<void> {
  for (const workload of workloads) {
    for (const { opened, rates } of orderOf(entrants, order)) {
      const rate = await rateOf(workload, opened);
      if (counts) rates.set(workload, [...(rates.get(workload) ?? []), rate]);
    }
  }
}

function resultOf(entrant: Entrant, workload: Workload, entrants: readonly Entrant[]): Result {
  const { contender } = entrant;
  const rates = entrant.rates.get(workload) ?? [];
  const raw = entrants.find(
    (other) => isRaw(other.contender) && other.contender.client === contender.client,
  );
  const ratios = raw?.rates
    .get(workload)
    ?.map((rate, round) => (rates[round] ?? Number.NaN) / rate);
  return {
    contender: contender.name,
    client: contender.client,
    workload: workload.name,
    cyclesPerSecond: spreadOf(rates),
    ratioToRaw: ratios && spreadOf(ratios),
  };
}

export function isRaw(contender: Contender): boolean {
  return contender.name.startsWith('raw');
}
