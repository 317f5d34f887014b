import { type Candidate, isRaw, type Opened } from '../candidate.ts';
import { type Spread, spreadOf } from '../statistics.ts';
import { orderOf } from '../turns.ts';
import { WORKLOADS, type Workload } from './workload.ts';

/** One candidate with so many pairs in flight. */
export interface InFlightResult {
  readonly candidate: string;
  readonly client: Candidate['client'];
  readonly inFlight: number;
  readonly pairsPerSecond: Spread;
  /** CPU time of this process for one pair, in µs. */
  readonly cpuUs: Spread;
  /** CPU time by that of raw calls over this client in the same round; absent if raw calls did not run. */
  readonly cpuToRaw: Spread | undefined;
}

interface Batch {
  readonly rate: number;
  readonly cpuUs: number;
}

/** One candidate with the batches of all rounds. */
interface Entrant {
  readonly candidate: Candidate;
  readonly opened: Opened;
  readonly batches: Map<Workload, Batch[]>;
}

async function batchOf(workload: Workload, opened: Opened): Promise<Batch> {
  const fromMs = performance.now();
  const before = process.cpuUsage();
  const pairs = await workload.run(opened);
  const { user, system } = process.cpuUsage(before);
  const tookS = (performance.now() - fromMs) / 1000;
  return { rate: pairs / tookS, cpuUs: (user + system) / pairs };
}

/**
 * Lets all candidates take turns, `rounds` times, after `warmUps` rounds that do not count. So the load of the machine
 * affects all of them equally, and ratios are computed within a round.
 */
export async function measure(
  candidates: readonly Candidate[],
  url: string,
  {
    rounds,
    warmUps,
    onRound,
  }: { rounds: number; warmUps: number; onRound: (round: number) => void },
): Promise<InFlightResult[]> {
  const entrants: Entrant[] = [];
  try {
    for (const candidate of candidates)
      entrants.push({ candidate, opened: await candidate.open(url), batches: new Map() });
    for (let round = -warmUps; round < rounds; round++) {
      onRound(round);
      await playRound(entrants, round + warmUps, round >= 0);
    }
    return WORKLOADS.flatMap((workload) =>
      entrants.map((entrant) => resultOf(entrant, workload, entrants)),
    );
  } finally {
    await Promise.all(entrants.map(({ opened }) => opened.close()));
  }
}

async function playRound(
  entrants: readonly Entrant[],
  round: number,
  counts: boolean,
): Promise<void> {
  for (const workload of WORKLOADS)
    for (const { opened, batches } of orderOf(entrants, round)) {
      const batch = await batchOf(workload, opened);
      if (counts) batches.set(workload, [...(batches.get(workload) ?? []), batch]);
    }
}

function resultOf(
  { candidate, batches }: Entrant,
  workload: Workload,
  entrants: readonly Entrant[],
): InFlightResult {
  const own = batches.get(workload) ?? [];
  const raw = entrants
    .find((other) => isRaw(other.candidate) && other.candidate.client === candidate.client)
    ?.batches.get(workload);
  const ratios = raw?.map(({ cpuUs }, round) => (own[round]?.cpuUs ?? Number.NaN) / cpuUs);
  return {
    candidate: candidate.name,
    client: candidate.client,
    inFlight: workload.inFlight,
    pairsPerSecond: spreadOf(own.map(({ rate }) => rate)),
    cpuUs: spreadOf(own.map(({ cpuUs }) => cpuUs)),
    cpuToRaw: ratios && spreadOf(ratios),
  };
}
