/** A client that creates and deletes nodes, to be compared with another one. */
export interface PairClient {
  /** Creates an ephemeral sequential node, as contenders do. */
  create(path: string): Promise<string>;
  delete(path: string): Promise<unknown>;
  close(): Promise<unknown>;
}

export type OpenPairs = (servers: readonly string[], sessionMs: number) => Promise<PairClient>;

/** Far longer than a run, so that no session ends in it. */
export const SESSION_MS = 30_000;

/** About a tenth of a second, so that other load of the machine affects both clients equally. */
const SEQUENTIAL_PAIRS = 100;
const WIDTH = 64;
const PAIRS_EACH = 8;

export const PAIR_WORKLOADS = ['sequential', 'together'] as const;
export type PairWorkload = (typeof PAIR_WORKLOADS)[number];
export const TITLES: Readonly<Record<PairWorkload, string>> = {
  sequential: 'one after another',
  together: `${WIDTH} at once`,
};

async function pairs(client: PairClient, times: number): Promise<void> {
  for (let i = 0; i < times; i++) await client.delete(await client.create('/bench-'));
}

const RUNS: Readonly<Record<PairWorkload, (client: PairClient) => Promise<number>>> = {
  async sequential(client) {
    await pairs(client, SEQUENTIAL_PAIRS);
    return SEQUENTIAL_PAIRS;
  },
  async together(client) {
    await Promise.all(Array.from({ length: WIDTH }, () => pairs(client, PAIRS_EACH)));
    return WIDTH * PAIRS_EACH;
  },
};

/** The result of one batch. */
export interface Batch {
  /** Pairs of create and delete per second, with both replies received. */
  readonly rate: number;
  /** CPU time of the client's process for one pair: other load of the machine affects it less. */
  readonly cpuUs: number;
}

export async function batchOf(client: PairClient, way: PairWorkload): Promise<Batch> {
  const startMs = performance.now();
  const before = process.cpuUsage();
  const count = await RUNS[way](client);
  const { user, system } = process.cpuUsage(before);
  return {
    rate: (count / (performance.now() - startMs)) * 1000,
    cpuUs: (user + system) / count,
  };
}

/** Reads the monotonic clock that all processes of a machine share, in ms. */
export function hostMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
