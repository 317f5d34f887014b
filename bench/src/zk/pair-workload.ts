/** A client that creates and deletes nodes, to be measured against another one. */
export interface PairClient {
  /** Ephemeral and sequential, as contenders are. */
  create(path: string): Promise<string>;
  delete(path: string): Promise<unknown>;
  close(): Promise<unknown>;
}

export type OpenPairs = (servers: readonly string[], sessionMs: number) => Promise<PairClient>;

/** Far longer than a run, so that no session ends in it. */
export const SESSION_MS = 30_000;

/** Of a tenth of a second: what else goes on on the machine then falls on both alike. */
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

/** What one batch came to. */
export interface Batch {
  /** Pairs of create and delete in a second, both answered. */
  readonly rate: number;
  /** What the client's process computed for one pair: what others on the machine do matters less to it. */
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
