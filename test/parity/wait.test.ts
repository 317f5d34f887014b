import { systemRuntime } from '@holdfast/core/backend';
import {
  Network,
  SimRedisServer,
  SimRedisService,
  World as SimWorld,
  simRedisNode,
} from '@holdfast/harness/simulator';
import { openRedisNode } from '@holdfast/redis';
import type { RedisNode } from '@holdfast/redis/port';
import { describe, expect, test } from 'vitest';
import { ReplicatedRedis } from '../../harness/test/kit/replicated-redis.ts';

/** A master with one replica, real or simulated. */
interface Stage {
  readonly nowMs: () => number;
  /** A node, with a connection of its own. */
  master(): Promise<RedisNode>;
  replica(): Promise<RedisNode>;
  /** The replica is paused until {@link resume}. */
  freeze(): void;
  resume(): Promise<void>;
}

type OnStage = (run: (stage: Stage) => Promise<readonly unknown[]>) => Promise<readonly unknown[]>;

const onRealServers: OnStage = async (run) => {
  const redis = await ReplicatedRedis.start(1);
  const { runtime, nodes } = { runtime: systemRuntime(), nodes: [] as RedisNode[] };
  const [replica] = redis.replicas;
  const open = async (url = ''): Promise<RedisNode> => {
    const node = await openRedisNode(url, { runtime });
    nodes.push(node);
    return node;
  };
  try {
    return await run({
      nowMs: () => runtime.now().monotonicMs,
      master: () => open(redis.master.server.url),
      replica: () => open(replica?.server.url),
      freeze: () => replica?.server.stop(),
      resume: async () => replica?.server.resume(),
    });
  } finally {
    replica?.server.resume();
    await Promise.all(nodes.map((node) => node.close()));
    await redis.close();
  }
};

/** Longer than a test waits while the replica is paused. */
const FROZEN_MS = 2_000;

const inSimulation: OnStage = async (run) => {
  const world = new SimWorld({ guard: true, maxVirtualMs: 60_000 });
  const network = new Network(world, { latencyMs: 1 });
  const master = new SimRedisServer(world, 'n1');
  const replica = new SimRedisServer(world, 'n1-replica');
  void new SimRedisService(world, network, { name: 'n1', master, replica });
  const client = world.process('client');
  let results: readonly unknown[] = [];
  await world.run(async () => {
    results = await run({
      nowMs: () => client.clocks.monotonicMs,
      master: async () => simRedisNode(client, master, network),
      replica: async () => simRedisNode(client, replica, network),
      freeze: () => replica.stop(FROZEN_MS),
      resume: () => world.advance(FROZEN_MS),
    });
  });
  return results;
};

/** A reply, or the error line; and if it came at once, or only when a `WAIT` of `WAIT_MS` was over. */
async function send(stage: Stage, node: RedisNode, ...args: string[]): Promise<string> {
  const fromMs = stage.nowMs();
  const reply = await node
    .command(args, { deadlineMs: fromMs + 5_000 })
    .then(String, (error: Error) => error.message);
  // A replica that has just been paused, or synchronised, may take a second to acknowledge: when it does is unsure.
  const isLate = args.at(-1) !== LONG && stage.nowMs() - fromMs >= WAIT_MS;
  return `${args[0]}: ${reply}${isLate ? ', after the wait' : ''}`;
}

const WAIT_MS = 300;
const LIMIT = `${WAIT_MS}`;
const LONG = '5000';

type Scenario = (stage: Stage) => Promise<readonly unknown[]>;

const SCENARIOS: readonly (readonly [string, Scenario, readonly unknown[]])[] = [
  [
    'a write is soon at the replica, and more replicas than there are never have it',
    async (stage) => {
      const node = await stage.master();
      return [
        await send(stage, node, 'SET', 'k', 'v'),
        await send(stage, node, 'WAIT', '1', LONG),
        await send(stage, await stage.replica(), 'GET', 'k'),
        await send(stage, node, 'WAIT', '2', LIMIT),
      ];
    },
    ['SET: OK', 'WAIT: 1', 'GET: v', 'WAIT: 1, after the wait'],
  ],
  [
    'while the replica is paused, WAIT blocks its own connection, and is satisfied at once on another',
    async (stage) => {
      const [node, other] = [await stage.master(), await stage.master()];
      await send(stage, node, 'SET', 'k', '1');
      await send(stage, node, 'WAIT', '1', LONG);
      stage.freeze();
      const replies = await Promise.all([
        send(stage, node, 'SET', 'k', '2'),
        send(stage, node, 'WAIT', '1', LIMIT),
        send(stage, node, 'GET', 'k'),
        send(stage, other, 'WAIT', '1', LIMIT),
        send(stage, other, 'GET', 'k'),
      ]);
      await stage.resume();
      return [...replies, await send(stage, node, 'WAIT', '1', LONG)];
    },
    [
      'SET: OK',
      'WAIT: 0, after the wait',
      'GET: 2, after the wait',
      'WAIT: 1',
      'GET: 2',
      'WAIT: 1',
    ],
  ],
  [
    'arguments that are no numbers, and a replica, are refused',
    async (stage) => {
      const [node, replica] = [await stage.master(), await stage.replica()];
      return [
        await send(stage, node, 'WAIT', 'x', '1'),
        await send(stage, node, 'WAIT', '1', 'x'),
        await send(stage, node, 'WAIT', '1', '-1'),
        // A replica that has just attached may not have acknowledged anything yet.
        await send(stage, node, 'WAIT', '1', LONG),
        await send(stage, node, 'WAIT', '0', '1'),
        (await send(stage, replica, 'WAIT', '0', '1')).slice(0, 54),
      ];
    },
    [
      'WAIT: ERR value is not an integer or out of range',
      'WAIT: ERR timeout is not an integer or out of range',
      'WAIT: ERR timeout is negative',
      'WAIT: 1',
      'WAIT: 1',
      'WAIT: ERR WAIT cannot be used with replica instances. ',
    ],
  ],
];

describe.each([
  ['a simulated', inSimulation],
  ['a real', onRealServers],
])('with %s replica', (_, onStage) => {
  test.each(SCENARIOS)('%s', async (_name, scenario, expected) => {
    expect(await onStage(scenario)).toEqual(expected);
  });
});
