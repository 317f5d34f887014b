import { systemRuntime } from '@holdfast/core/backend';
import { Network, World } from '@holdfast/harness/simulator';
import { SimZooKeeper, simOpenSession } from '@holdfast/harness/stores';
import type { ZooKeeperSession } from '@holdfast/zk/port';
import { vi } from 'vitest';
import { Proxy, ZooKeeperServer } from '../../../harness/test/kit/real-servers.ts';
import { openSocketSessions } from '../../../packages/zk/test/kit/store.ts';

/** T of both sessions: long for a real server on a busy machine, short for who waits for its end. */
export const TIMEOUT_MS = 2_000;
export const TICK_MS = 100;

/** One server, real or simulated, a watcher without faults, and a client whose connection or server gets them. */
export interface SessionStage {
  readonly watcher: ZooKeeperSession;
  readonly client: ZooKeeperSession;
  readonly until: (holds: () => boolean) => Promise<void>;
  /** Spans of time, in ms. */
  readonly timed: (run: () => Promise<void>) => Promise<number>;
  /** The client's way to the server, and back, is cut until `heal`. */
  readonly cut: (way: 'replies' | 'both') => void;
  readonly heal: () => void;
  /** The client's connection is broken. */
  readonly reset: () => void;
  /** The server dies, and is back with its data when so much time has passed. */
  readonly restart: (downMs: number) => Promise<void>;
  /** Pauses the server for this time. */
  readonly freeze: (ms: number) => Promise<void>;
}

export type OnStage = (play: (stage: SessionStage) => Promise<void>) => Promise<void>;

const OPEN_MS = 10_000;
const PATIENCE_MS = 15_000;

function pass(ms: number): Promise<void> {
  return new Promise((done) => setTimeout(done, ms));
}

/** Behind a proxy, on a server of its own. */
export const onRealServer: OnStage = async (play) => {
  const server = await ZooKeeperServer.start({ tickMs: TICK_MS });
  const proxy = await Proxy.start(server.port);
  const runtime = systemRuntime();
  const open = (address: string): Promise<ZooKeeperSession> =>
    openSocketSessions(
      { servers: [address], sessionTimeoutMs: TIMEOUT_MS, auth: undefined },
      runtime,
    )(runtime.now().monotonicMs + OPEN_MS);
  const watcher = await open(server.address);
  const client = await open(`127.0.0.1:${proxy.port}`);
  try {
    await play({
      watcher,
      client,
      until: (holds) => vi.waitUntil(holds, { timeout: PATIENCE_MS, interval: 5 }).then(() => {}),
      timed: async (run) => {
        const beganMs = performance.now();
        await run();
        return performance.now() - beganMs;
      },
      cut: (way) => proxy.cut(way === 'replies' ? 'down' : 'both'),
      heal: () => proxy.heal(),
      reset: () => proxy.reset(),
      restart: async (downMs) => {
        server.kill();
        await pass(downMs);
        await server.restart();
      },
      freeze: async (ms) => {
        server.stop();
        await pass(ms);
        server.resume();
      },
    });
  } finally {
    await Promise.all([watcher.close({ timeoutMs: 0 }), client.close({ timeoutMs: 0 })]);
    await proxy.close();
    await server.close();
  }
};

/** In a simulated world. */
export const inSimulation: OnStage = async (play) => {
  const world = new World({ guard: true, maxVirtualMs: 120_000 });
  await world.run(() => simulated(world, play));
};

async function simulated(
  world: World,
  play: (stage: SessionStage) => Promise<void>,
): Promise<void> {
  const network = new Network(world, { latencyMs: 1 });
  const ensemble = new SimZooKeeper(world, network, {
    size: 1,
    tickMs: TICK_MS,
    maxSessionMs: 60_000,
  });
  const server = ensemble.servers[0]!;
  const process = world.process('client');
  const open = (on: typeof process): Promise<ZooKeeperSession> =>
    simOpenSession(on, ensemble, network, { timeoutMs: TIMEOUT_MS })(
      on.clocks.monotonicMs + OPEN_MS,
    );
  let heals: (() => void)[] = [];
  await play({
    watcher: await open(world.process('watcher')),
    client: await open(process),
    until: async (holds) => {
      while (!holds()) await world.advance(5);
    },
    timed: async (run) => {
      const beganMs = world.nowMs;
      await run();
      return world.nowMs - beganMs;
    },
    cut: (way) => {
      if (way === 'both') heals.push(network.cut(process, server));
      else heals.push(network.cut(server, process, { oneWay: true }));
    },
    heal: () => {
      for (const heal of heals) heal();
      heals = [];
    },
    reset: () => server.breakConnections((connection) => connection.process === process),
    restart: async (downMs) => {
      server.restart({ data: 'durable', downMs });
      await world.advance(downMs);
    },
    freeze: async (ms) => {
      server.stop(ms);
      await world.advance(ms);
    },
  });
}
