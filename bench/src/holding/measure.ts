import { RedisServer } from '@holdfast/harness/real';
import { Redis } from 'ioredis';
import { Child } from '../child.ts';
import { commandsBySpan, executed } from '../commands.ts';

export type HoldingLibrary = 'ioredis' | 'resp';

/** Many leases held by one process for two periods of their renewals. */
export interface Holding {
  readonly leases: number;
  readonly library: HoldingLibrary;
  /** Share of one core that the process used. */
  readonly cpu: number;
  readonly renewals: number;
  /** Leases that were lost meanwhile; anything but 0 makes the rest worthless. */
  readonly lost: number;
  /** Commands of a second at the server, those inside of scripts included. */
  readonly commandsMean: number;
  readonly commandsMax: number;
  readonly filled: Filled;
}

/** What the leases took of the server until all were held, by INFO. */
export interface Filled {
  /** Each, those inside of scripts included; with few leases the opening weighs in. */
  readonly commandsPerLease: number;
  readonly bytesPerLease: number;
  /** Of the process, its subscription included. */
  readonly connections: number;
}

/** Leases of 30 s are renewed every 10. */
const PERIODS = 2;
const PERIOD_S = 10;

interface Counts {
  readonly cpuMs: number;
  readonly renewed: number;
  readonly lost: number;
}

export async function measureHolding(
  leases: number,
  library: HoldingLibrary,
  as: 'leases' | 'readers' = 'leases',
): Promise<Holding> {
  const server = await RedisServer.start();
  const client = new Redis(server.port, '127.0.0.1');
  const bytesBefore = await infoOf(client, 'used_memory');
  const child = await Child.start('./holding/process.js', [server.url, `${leases}`, library, as]);
  try {
    const before = await countsOf(child);
    const filled = await filledBy(leases, client, bytesBefore);
    const spans = await commandsBySpan(server.port, { spans: PERIODS * PERIOD_S, spanMs: 1_000 });
    const seconds = spans.map(({ all }) => all);
    const after = await countsOf(child);
    const sum = seconds.reduce((total, each) => total + each, 0);
    return {
      leases,
      library,
      cpu: after.cpuMs / 1000 / (PERIODS * PERIOD_S),
      renewals: after.renewed - before.renewed,
      lost: after.lost,
      commandsMean: sum / seconds.length,
      commandsMax: Math.max(...seconds),
      filled,
    };
  } finally {
    client.disconnect();
    await child.close();
    await server.close();
  }
}

async function filledBy(leases: number, client: Redis, bytesBefore: number): Promise<Filled> {
  const { all } = await executed(client);
  return {
    commandsPerLease: all / leases,
    bytesPerLease: ((await infoOf(client, 'used_memory')) - bytesBefore) / leases,
    connections: (await infoOf(client, 'connected_clients')) - 1,
  };
}

async function infoOf(client: Redis, field: string): Promise<number> {
  return Number(new RegExp(`^${field}:(\\d+)`, 'm').exec(await client.info())?.[1]);
}

async function countsOf(child: Child): Promise<Counts> {
  const counts = await child.ask({});
  if (!isCounts(counts)) throw new Error('the process answered with something else');
  return counts;
}

function isCounts(message: unknown): message is Counts {
  return typeof message === 'object' && message !== null && 'cpuMs' in message;
}
