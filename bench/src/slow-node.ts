import { Proxy, RedisServer } from '@holdfast/harness/real';
import { openLocks } from 'holdfast';
import { TTL_MS } from './candidate.ts';
import { type Section, section } from './section.ts';
import { spreadOf } from './statistics.ts';

const NODES = 5;
const DELAY_MS = 50;
const WARM_UPS = 20;
const CYCLES = 200;
/** Limit of the cost of one slow node: a majority does not wait for it. */
const RATIO_MAX = 1.3;

/** The cost of one slow node of five for Redlock, over one client library. */
export interface SlowNode {
  readonly client: 'ioredis' | 'node-redis';
  /** Medians of an uncontended acquire. */
  readonly undelayedMs: number;
  readonly delayedMs: number;
}

/** Redlock, one of whose nodes answers late. */
export const slowNode: Section = section<readonly SlowNode[]>({
  name: 'slow-node',
  async measure({ tell }) {
    tell('redlock with a slow node');
    return [await measureSlowNode('ioredis'), await measureSlowNode('node-redis')];
  },
  text: slowNodeText,
});

type Locks = Awaited<ReturnType<typeof openLocks>>;

/**
 * Measures on five real servers, one of which replies at once to one client and late to another; the two take turns.
 */
async function measureSlowNode(client: SlowNode['client']): Promise<SlowNode> {
  const servers = await Promise.all(Array.from({ length: NODES }, () => RedisServer.start()));
  const [{ port } = { port: 0 }, ...rest] = servers;
  const ways = await Promise.all([0, DELAY_MS].map((delayMs) => delayingProxy(port, delayMs)));
  const opened = await Promise.all(
    ways.map((way) =>
      openLocks({
        backend: 'redlock',
        nodes: [way.url, ...rest.map((server) => server.url)],
        library: client === 'ioredis' ? 'ioredis' : 'redis',
        ttlMs: TTL_MS,
      }),
    ),
  );
  try {
    const [undelayedMs = Number.NaN, delayedMs = Number.NaN] = await takeTurns(opened);
    return { client, undelayedMs, delayedMs };
  } finally {
    await Promise.all(opened.map((locks) => locks.close()));
    await Promise.all(ways.map((way) => way.close()));
    await Promise.all(servers.map((server) => server.close()));
  }
}

/** Delays the replies of the server. */
async function delayingProxy(port: number, delayMs: number): Promise<Proxy> {
  const way = await Proxy.start(port);
  way.delay({ down: delayMs });
  return way;
}

/** The medians, in the order of `opened`. */
async function takeTurns(opened: readonly Locks[]): Promise<number[]> {
  const tookMs = opened.map((): number[] => []);
  for (let cycle = -WARM_UPS; cycle < CYCLES; cycle++) {
    for (const [at, locks] of opened.entries()) {
      const ms = await acquireMs(locks, `orders/${at}/${cycle}`);
      if (cycle >= 0) tookMs[at]?.push(ms);
    }
  }
  return tookMs.map((each) => spreadOf(each).median);
}

async function acquireMs(locks: Locks, key: string): Promise<number> {
  const fromMs = performance.now();
  const lease = await locks.acquire(key);
  const tookMs = performance.now() - fromMs;
  await lease.release();
  return tookMs;
}

/** One line for each client library, with its bound. */
function slowNodeText(results: readonly SlowNode[]): string {
  const lines = results.map(({ client, undelayedMs, delayedMs }) => {
    const ratio = delayedMs / undelayedMs;
    const verdict = ratio <= RATIO_MAX ? 'within' : 'ABOVE';
    const medians = `${undelayedMs.toFixed(2)} ms, delayed ${delayedMs.toFixed(2)} ms`;
    return `  ${client.padEnd(10)}  ${medians}: × ${ratio.toFixed(2)}, ${verdict} ${RATIO_MAX}`;
  });
  return `redlock, one of ${NODES} nodes answering ${DELAY_MS} ms late: median of ${CYCLES} acquires, taking turns\n${lines.join('\n')}`;
}
