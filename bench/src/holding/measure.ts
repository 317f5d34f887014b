import { setTimeout as sleep } from 'node:timers/promises';
import { RedisServer } from '@holdfast/harness/real';
import { Redis } from 'ioredis';
import { Child } from '../child.ts';
import { commandsBySpan, executed } from '../commands.ts';

export type HoldingLibrary = 'ioredis' | 'resp';
/** Of as many keys, or of one that all read. */
type HeldAs = 'leases' | 'readers';

/** Many leases held by one process for two periods of their renewals. */
export interface Holding {
  readonly leases: number;
  readonly library: HoldingLibrary;
  /** Share of one core that the process used. */
  readonly cpu: number;
  readonly renewals: number;
  /** Bytes on the heap of the process for each lease, all of which have been renewed. */
  readonly bytes: number;
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

/** What runs seldom is compiled late: with so many leases the first period is not counted. */
const MANY = 10_000;
const PERIODS = 2;
/** The default of Holdfast, which renews them every 10 s. */
const TTL_MS = 30_000;

interface Counts {
  readonly cpuMs: number;
  readonly bytes: number;
  readonly renewed: number;
  readonly lost: number;
}

/** `ttlMs` is a multiple of 3,000: a period is a third of it, and commands are counted by the second. */
export async function measureHolding(
  leases: number,
  library: HoldingLibrary,
  { as = 'leases', ttlMs = TTL_MS }: { readonly as?: HeldAs; readonly ttlMs?: number } = {},
): Promise<Holding> {
  const periodS = ttlMs / 3_000;
  const uncounted = leases >= MANY ? 1 : 0;
  const countedS = (PERIODS - uncounted) * periodS;
  const server = await RedisServer.start();
  const client = new Redis(server.port, '127.0.0.1');
  const bytesBefore = await infoOf(client, 'used_memory');
  const args = [server.url, `${leases}`, library, as, `${ttlMs}`];
  const child = await Child.start('./holding/process.js', args, ['--expose-gc']);
  try {
    const filled = await filledBy(leases, client, bytesBefore);
    await sleep(1_000 * uncounted * periodS);
    const before = await countsOf(child);
    const spans = await commandsBySpan(server.port, { spans: countedS, spanMs: 1_000 });
    const seconds = spans.map(({ all }) => all);
    const after = await countsOf(child);
    const sum = seconds.reduce((total, each) => total + each, 0);
    return {
      leases,
      library,
      cpu: after.cpuMs / 1000 / countedS,
      renewals: after.renewed - before.renewed,
      bytes: after.bytes,
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
