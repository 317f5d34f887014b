import {
  Network,
  SimRedisServer,
  World as SimWorld,
  simRedisNode,
} from '@holdfast/harness/simulator';
import type { CallOptions, NodeDoubt, RedisNode, Reply } from '@holdfast/redis/port';
import { vi } from 'vitest';
import { inMs, World } from '../../packages/redis/test/kit/real-node.ts';

/** One server and one node, real or simulated, and the faults that can happen to them. */
export interface PortStage {
  readonly node: RedisNode;
  /** Another one, that begins to connect now. */
  open(): Promise<RedisNode>;
  /** A deadline that many ms from now. */
  options(ms: number): CallOptions;
  /** The keys that the server stores. */
  read(key: string): Promise<Reply>;
  until(holds: () => Promise<boolean> | boolean): Promise<void>;
  /** Replies, or requests, get nowhere until `heal`. */
  cut(way: 'replies' | 'requests' | 'both'): void;
  heal(): void;
  /** The reply to the next command is lost, and the connection reset once the server holds `key`. */
  loseReplyOf(key: string): void;
  breakConnections(): void;
  freeze(): void;
  resume(): void;
  kill(): Promise<void>;
  restart(): Promise<void>;
}

const LIMITS = { silenceMs: 400, connectMs: 400 };

export type OnStage = (run: (stage: PortStage) => Promise<void>) => Promise<void>;

/** On a real server behind a proxy. */
export const onRealServer =
  (library: 'ioredis' | 'redis'): OnStage =>
  async (run) => {
    const world = await World.start();
    try {
      await run(await realStage(world, library));
    } finally {
      await world.close();
    }
  };

const until: PortStage['until'] = (holds) =>
  vi.waitUntil(holds, { timeout: 5_000, interval: 5 }).then(() => undefined);

async function realStage(world: World, library: 'ioredis' | 'redis'): Promise<PortStage> {
  const { proxy, server } = world;
  const read = (key: string): Promise<Reply> => world.ask('GET', key);
  const open = (): Promise<RedisNode> => world.open({ library, ...LIMITS });
  return {
    node: await open(),
    open,
    options: (ms) => ({ deadlineMs: inMs(ms) }),
    read,
    until,
    cut: (way) => proxy.cut(({ replies: 'down', requests: 'up', both: 'both' } as const)[way]),
    heal: () => proxy.heal(),
    loseReplyOf: (key) => {
      proxy.cut('down', 'open');
      void until(async () => (await read(key)) !== null).then(() => proxy.reset('client'));
    },
    breakConnections: () => proxy.reset(),
    freeze: () => server.stop(),
    resume: () => server.resume(),
    kill: async () => server.kill(),
    restart: () => server.restart(),
  };
}

/** In a simulated world. */
export const inSimulation: OnStage = async (run) => {
  const world = new SimWorld({ guard: true, maxVirtualMs: 60_000 });
  await world.run(() => run(simStage(world)));
};

/** Long enough for everything that a stage freezes. */
const FOR_LONG_MS = 1_000;

function simStage(world: SimWorld): PortStage {
  const network = new Network(world, { latencyMs: 1 });
  const server = new SimRedisServer(world, 'n1');
  const client = world.process('client');
  let heals: (() => void)[] = [];
  const cut = (oneWay: boolean, back: boolean): void => {
    const [from, to] = back ? [server, client] : [client, server];
    heals.push(network.cut(from, to, { oneWay }));
  };
  const open = (): RedisNode => simRedisNode(client, server, network, LIMITS);
  return {
    node: open(),
    open: async () => open(),
    options: (ms) => ({ deadlineMs: client.clocks.monotonicMs + ms }),
    read: async (key) => {
      const value = server.engine.execute(['GET', key]);
      return typeof value === 'string' ? value : null;
    },
    until: async (holds) => {
      while (!(await holds())) await world.advance(5);
    },
    cut: (way) => cut(way !== 'both', way === 'replies'),
    heal: () => {
      for (const heal of heals) heal();
      heals = [];
    },
    loseReplyOf: () => {
      const remove = network.rule(({ way }) => {
        if (way !== 'reply') return 'pass';
        remove();
        return 'reset';
      });
    },
    breakConnections: () => server.breakConnections(),
    freeze: () => server.stop(FOR_LONG_MS),
    resume: () => {},
    kill: async () => server.crash(),
    restart: async () => server.restart({ data: 'empty' }),
  };
}

/** The outcome of a call, in a word. */
export async function outcomeOf(call: Promise<Reply>): Promise<string> {
  try {
    return `reply ${JSON.stringify(await call)}`;
  } catch (error) {
    if (!(error instanceof Error)) return 'something else';
    if (isDoubt(error))
      return `doubt, undo ${error.undo}, ${(await error.undone) ? 'undone' : 'not known to be undone'}`;
    return 'code' in error ? `error ${String(error.code)}` : error.name;
  }
}

function isDoubt(error: Error): error is NodeDoubt {
  return error.name === 'NodeDoubt';
}
