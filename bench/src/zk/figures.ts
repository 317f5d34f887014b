import { findZooKeeper, ZooKeeperEnsemble, ZooKeeperServer } from '@holdfast/harness/real';
import type { Spread } from '../statistics.ts';
import { CLIENTS, type ClientName, ClientProcess } from './client-process.ts';
import { ClientRates, type PairResult } from './client-rates.ts';
import { killLeader, type Recovery } from './leader-kill.ts';
import {
  type Batch,
  PAIR_WORKLOADS,
  type PairWorkload,
  SESSION_MS,
  TITLES,
} from './pair-workload.ts';
import { countRoundTrips, type ZkRoundTrips } from './round-trips.ts';

export interface ZooKeeperFigures {
  readonly pairs: readonly PairResult[];
  /** Clients that could not be measured, with the reasons. */
  readonly missing: Readonly<Partial<Record<ClientName, string>>>;
  readonly roundTrips: ZkRoundTrips;
  readonly recoveries: readonly Recovery[];
}

const WARM_UPS = 2;
/** Batches in one round. */
const TURNS = 3;
const TICK_MS = SESSION_MS / 10;

/** Lets both clients take turns on one server, then on three; and counts the requests of a lock. */
export async function measureZooKeeper(
  rounds: number,
  tell: (text: string) => void,
): Promise<ZooKeeperFigures | undefined> {
  if (findZooKeeper() === undefined) return undefined;
  const pairs: PairResult[] = [];
  const missing: Partial<Record<ClientName, string>> = {};
  const one = await ZooKeeperServer.start({ tickMs: TICK_MS });
  const turns = { rounds, missing, tell };
  try {
    pairs.push(...(await takeTurns(one.address, { ...turns, servers: 1 })));
    const roundTrips = await countRoundTrips(one.address);
    // A long tick, so that a busy moment of the machine does not cost them their leader.
    const three = await ZooKeeperEnsemble.start({ tickMs: TICK_MS });
    try {
      // Both clients at one follower, since at the leader a write takes one hop less.
      const leader = await three.leader();
      const follower = three.servers.find((server) => server !== leader) ?? one;
      pairs.push(...(await takeTurns(follower.address, { ...turns, servers: 3 })));
    } finally {
      await three.close();
    }
    tell('zookeeper, killing leaders');
    const recoveries = await killLeader(CLIENTS.filter((name) => missing[name] === undefined));
    return { pairs, missing, roundTrips, recoveries };
  } finally {
    await one.close();
  }
}

interface TurnsOptions {
  readonly rounds: number;
  readonly servers: number;
  readonly tell: (text: string) => void;
  readonly missing: Partial<Record<ClientName, string>>;
}

async function takeTurns(
  address: string,
  { rounds, servers, tell, missing }: TurnsOptions,
): Promise<PairResult[]> {
  const entrants = await startAll(address, missing);
  const scores = entrants.flatMap(({ name }) =>
    PAIR_WORKLOADS.map((way) => new ClientRates(name, way)),
  );
  try {
    for (let at = -WARM_UPS; at < rounds; at++) {
      tell(`zookeeper, ${servers} server(s), round ${at + 1} of ${rounds}`);
      for (const way of PAIR_WORKLOADS) {
        const batches = await runAlternating(entrants, way);
        if (at >= 0) for (const score of scores) score.add(way, batches);
      }
    }
    return scores.map((score) => score.result(servers, scores));
  } finally {
    await Promise.all(entrants.map((entrant) => entrant.close()));
  }
}

async function startAll(
  address: string,
  missing: Partial<Record<ClientName, string>>,
): Promise<readonly ClientProcess[]> {
  const entrants: ClientProcess[] = [];
  for (const name of CLIENTS) {
    try {
      entrants.push(await ClientProcess.start(name, address, SESSION_MS));
    } catch (error) {
      missing[name] = error instanceof Error ? error.message : String(error);
    }
  }
  return entrants;
}

type Batches = readonly { readonly client: ClientName; readonly batch: Batch }[];

/** The order A, B, B, A, repeated: if the machine gets slower or faster meanwhile, both are affected equally. */
async function runAlternating(
  entrants: readonly ClientProcess[],
  way: PairWorkload,
): Promise<Batches> {
  const batches: { client: ClientName; batch: Batch }[] = [];
  for (let turn = 0; turn < TURNS; turn++)
    for (const entrant of [...entrants, ...entrants.toReversed()])
      batches.push({ client: entrant.name, batch: await entrant.play(way) });
  return batches;
}

function whole(value: number): string {
  return Math.round(value).toLocaleString('en-GB').padStart(7);
}

function spreadText({ median, min, max }: Spread): string {
  return `${median.toFixed(2)} (${min.toFixed(2)} – ${max.toFixed(2)})`;
}

/** One line for each client, workload and number of servers, and one for the round trips. */
export function zooKeeperText(figures: ZooKeeperFigures | undefined): string {
  if (figures === undefined) return 'zookeeper: not measured, for ZooKeeper is not installed';
  const { pairs, missing, roundTrips, recoveries } = figures;
  const lines = pairs
    .toSorted(
      (a, b) =>
        a.servers - b.servers || PAIR_WORKLOADS.indexOf(a.way) - PAIR_WORKLOADS.indexOf(b.way),
    )
    .map(({ client, servers, way, pairsPerSecond: { median, min, max }, cpuUs, ratio }) => {
      const where = `${servers === 1 ? 'one server' : `${servers} servers`}, ${TITLES[way]}`;
      const against =
        ratio === undefined ? '' : `  × ${spreadText(ratio)} of zookeeper in the same round`;
      return `  ${where.padEnd(30)}  ${client.padEnd(10)}${whole(median)}  ${whole(min)} – ${whole(max)}  ${whole(cpuUs.median)} µs of CPU${against}`;
    });
  const gaps = Object.entries(missing).map(([name, why]) => `  ${name} was not measured: ${why}`);
  const trips = `  a lock that nobody contends, warm: acquire ${roundTrips.acquire} and release ${roundTrips.release} round trips`;
  const kills = recoveries.map(
    ({ client, sessionMs, afterMs }) =>
      `  leader killed, session timeout ${sessionMs / 1000} s: ${client} makes its next node ${whole(afterMs.median).trim()} ms after there is a new one (${whole(afterMs.min).trim()} – ${whole(afterMs.max).trim()})`,
  );
  return ['zookeeper: create + delete pairs in a second', ...lines, ...gaps, trips, ...kills].join(
    '\n',
  );
}
