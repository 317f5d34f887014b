import type { Candidate, Opened } from './candidate.ts';
import { type Spread, spreadOf } from './statistics.ts';
import { type Workload, workloads } from './workload.ts';

export interface Result {
  readonly candidate: string;
  readonly client: Candidate['client'];
  readonly workload: string;
  /** Acquire + release cycles with both replies received. */
  readonly cyclesPerSecond: Spread;
  /** Ratio to raw calls over this client in this round; absent if raw calls did not run. */
  readonly ratioToRaw: Spread | undefined;
}

/** One contender with the result of every round, in cycles per second. */
interface CandidateRates {
  readonly candidate: Candidate;
  readonly opened: Opened;
  readonly rates: Map<Workload, number[]>;
}

/** Starts each round at another contender, and runs every other round backwards, so that neighbours change. */
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
 * Lets all contenders take turns, `rounds` times, after `warmUps` rounds that do not count. So the load of the machine
 * affects all of them equally, and ratios are computed within a round.
 */
export async function measure(
  contenders: readonly Candidate[],
  url: string,
  {
    rounds,
    warmUps,
    onRound,
  }: { rounds: number; warmUps: number; onRound: (round: number) => void },
): Promise<Result[]> {
  const entrants: CandidateRates[] = [];
  try {
    for (const candidate of contenders) {
      entrants.push({ candidate, opened: await candidate.open(url), rates: new Map() });
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
  entrants: readonly CandidateRates[],
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

function resultOf(
  entrant: CandidateRates,
  workload: Workload,
  entrants: readonly CandidateRates[],
): Result {
  const { candidate } = entrant;
  const rates = entrant.rates.get(workload) ?? [];
  const raw = entrants.find(
    (other) => isRaw(other.candidate) && other.candidate.client === candidate.client,
  );
  const ratios = raw?.rates
    .get(workload)
    ?.map((rate, round) => (rates[round] ?? Number.NaN) / rate);
  return {
    candidate: candidate.name,
    client: candidate.client,
    workload: workload.name,
    cyclesPerSecond: spreadOf(rates),
    ratioToRaw: ratios && spreadOf(ratios),
  };
}

export function isRaw(contender: Candidate): boolean {
  return contender.name.startsWith('raw');
}
