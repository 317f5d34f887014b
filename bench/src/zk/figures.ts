import { type Spread, spreadOf } from '../statistics.ts';
import { localZooKeeper } from './built.ts';
import { CLIENTS, type ClientName, Entrant } from './entrant.ts';
import { killLeader, type Recovery } from './leader-kill.ts';
import { SESSION_MS, TITLES, WAYS, type Way } from './pairs.ts';
import { countRoundTrips, type RoundTrips } from './round-trips.ts';

export interface PairResult {
  readonly client: ClientName;
  readonly servers: number;
  readonly way: Way;
  readonly pairsPerSecond: Spread;
  /** Against npm `zookeeper` in the same round. */
  readonly ratio: Spread | undefined;
}

export interface ZooKeeperFigures {
  readonly pairs: readonly PairResult[];
  /** Clients that could not be measured, and why. */
  readonly missing: Readonly<Partial<Record<ClientName, string>>>;
  readonly roundTrips: RoundTrips;
  readonly recoveries: readonly Recovery[];
}

const WARM_UPS = 2;

/** Lets both clients take turns on one server, and then on three; and counts what a lock asks of them. */
export async function measureZooKeeper(
  rounds: number,
  tell: (text: string) => void,
): Promise<ZooKeeperFigures | undefined> {
  const { ZooKeeperServer, ZooKeeperEnsemble, findZooKeeper } = await localZooKeeper();
  if (findZooKeeper() === undefined) return undefined;
  const pairs: PairResult[] = [];
  const missing: Partial<Record<ClientName, string>> = {};
  const one = await ZooKeeperServer.start({ tickMs: SESSION_MS / 10 });
  const turns = { rounds, missing, tell };
  try {
    pairs.push(...(await takeTurns(one.address, { ...turns, servers: 1 })));
    const roundTrips = await countRoundTrips(one.address);
    const three = await ZooKeeperEnsemble.start();
    try {
      // Both at one follower: at the leader a write takes one hop less.
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

interface Turns {
  readonly rounds: number;
  readonly servers: number;
  readonly tell: (text: string) => void;
  readonly missing: Partial<Record<ClientName, string>>;
}

async function takeTurns(
  address: string,
  { rounds, servers, tell, missing }: Turns,
): Promise<PairResult[]> {
  const entrants = new Map<ClientName, Entrant>();
  try {
    for (const name of CLIENTS) {
      try {
        entrants.set(name, await Entrant.start(name, address, SESSION_MS));
      } catch (error) {
        missing[name] = error instanceof Error ? error.message : String(error);
      }
    }
    for (let at = -WARM_UPS; at < rounds; at++) {
      tell(`zookeeper, ${servers} server(s), round ${at + 1} of ${rounds}`);
      // Every other round backwards, so that nobody always comes first.
      const order = [...entrants.values()];
      if (at % 2 === 0) order.reverse();
      for (const way of WAYS) for (const entrant of order) await entrant.play(way, at >= 0);
    }
    const npm = entrants.get('zookeeper')?.rates;
    return [...entrants].flatMap(([client, { rates }]) =>
      [...rates].map(([way, each]) => {
        const others = client === 'zookeeper' ? undefined : npm?.get(way);
        const ratios = others?.map((rate, round) => (each[round] ?? Number.NaN) / rate);
        const ratio = ratios && spreadOf(ratios);
        return { client, servers, way, pairsPerSecond: spreadOf(each), ratio };
      }),
    );
  } finally {
    await Promise.all([...entrants.values()].map((entrant) => entrant.close()));
  }
}

function whole(value: number): string {
  return Math.round(value).toLocaleString('en-GB').padStart(7);
}

/** A line for each client, way and number of servers, and one for the round trips. */
export function zooKeeperText(figures: ZooKeeperFigures | undefined): string {
  if (figures === undefined) return 'zookeeper: not measured, for ZooKeeper is not installed';
  const { pairs, missing, roundTrips, recoveries } = figures;
  const lines = pairs
    .toSorted((a, b) => a.servers - b.servers || WAYS.indexOf(a.way) - WAYS.indexOf(b.way))
    .map(({ client, servers, way, pairsPerSecond: { median, min, max }, ratio }) => {
      const where = `${servers === 1 ? 'one server' : `${servers} servers`}, ${TITLES[way]}`;
      const against =
        ratio === undefined ? '' : `  × ${ratio.median.toFixed(2)} of zookeeper in the same round`;
      return `  ${where.padEnd(30)}  ${client.padEnd(10)}${whole(median)}  ${whole(min)} – ${whole(max)}${against}`;
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
