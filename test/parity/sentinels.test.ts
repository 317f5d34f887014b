import { systemRuntime } from '@holdfast/core/backend';
import { Network, SimSentinel, World as SimWorld, simRedisNode } from '@holdfast/harness/simulator';
import { openRedisNode } from '@holdfast/redis';
import type { RedisNode } from '@holdfast/redis/port';
import { describe, expect, test } from 'vitest';
import { SentinelDeployment } from '../../harness/test/kit/real-servers.ts';

/** Three sentinels of a master and its replica, real or simulated. */
interface Stage {
  readonly nowMs: () => number;
  readonly sentinels: readonly RedisNode[];
  /** `master`, `replica`, as they were at first, by the port or the host that a sentinel gives. */
  nameOf(host: string, port: string): string;
  failover(): Promise<void>;
  until(holds: () => boolean): Promise<void>;
}

type OnStage = (run: (stage: Stage) => Promise<unknown>) => Promise<unknown>;

const onRealServers: OnStage = async (run) => {
  const deployment = await SentinelDeployment.start({ replicas: 1 });
  const runtime = systemRuntime();
  const sentinels = await Promise.all(
    deployment.sentinels.map(({ port }) =>
      openRedisNode(`redis://127.0.0.1:${port}`, { runtime, expects: 'any' }),
    ),
  );
  try {
    return await run({
      nowMs: () => runtime.now().monotonicMs,
      sentinels,
      nameOf: (_, port) =>
        deployment.servers.findIndex((each) => `${each.port}` === port) === 0
          ? 'master'
          : 'replica',
      failover: async () => void (await deployment.failover()),
      until: async (holds) => {
        while (!holds()) await new Promise((next) => setTimeout(next, 10));
      },
    });
  } finally {
    await Promise.all(sentinels.map((node) => node.close()));
    await deployment.close();
  }
};

const inSimulation: OnStage = async (run) => {
  const world = new SimWorld({ guard: true, maxVirtualMs: 60_000 });
  const network = new Network(world, { latencyMs: 1 });
  const all = ['s1', 's2', 's3'].map(
    (name) => new SimSentinel(world, name, { host: 'n1', epoch: 0 }),
  );
  for (const each of all) each.meets(all);
  const client = world.process('client');
  return await world.run(() =>
    run({
      nowMs: () => client.clocks.monotonicMs,
      sentinels: all.map((each) => simRedisNode(client, each, network)),
      nameOf: (host) => (host === 'n1' ? 'master' : 'replica'),
      failover: async () => {
        const config = { host: 'n1-replica', epoch: 1 };
        for (const [at, each] of all.entries()) each.learn(config, at === 0 ? 'led' : 'heard');
      },
      until: async (holds) => {
        while (!holds()) await world.advance(5);
      },
    }),
  );
};

async function ask(stage: Stage, node: RedisNode, ...args: string[]): Promise<unknown> {
  try {
    return await node.command(args, { deadlineMs: stage.nowMs() + 2_000 });
  } catch (error) {
    return error instanceof Error ? error.message : error;
  }
}

function fieldIn(reply: unknown, name: string): string {
  return Array.isArray(reply) ? String(reply[reply.indexOf(name) + 1]) : '';
}

/** What the client code reads of each sentinel; ids only as far as they have to agree. */
async function views(stage: Stage): Promise<readonly unknown[]> {
  const ids = await Promise.all(
    stage.sentinels.map((each) => ask(stage, each, 'SENTINEL', 'MYID')),
  );
  return await Promise.all(
    stage.sentinels.map(async (node, at) => {
      const sentinel = (...args: string[]): Promise<unknown> =>
        ask(stage, node, 'SENTINEL', ...args);
      const [host = '', port = ''] = (await sentinel(
        'GET-MASTER-ADDR-BY-NAME',
        'mymaster',
      )) as string[];
      const peers = (await sentinel('SENTINELS', 'mymaster')) as string[][];
      const known = peers.map((peer) => fieldIn(peer, 'runid')).toSorted();
      return {
        master: stage.nameOf(host, port),
        epoch: Number(fieldIn(await sentinel('MASTER', 'mymaster'), 'config-epoch')),
        knowsTheOthers:
          known.join() ===
          ids
            .filter((_, i) => i !== at)
            .map(String)
            .toSorted()
            .join(),
      };
    }),
  );
}

/** The same questions, on both. */
async function scenario(stage: Stage): Promise<unknown> {
  const [first] = stage.sentinels;
  if (first === undefined) throw new Error('there is no sentinel');
  const heard = new Set<string>();
  for (const node of stage.sentinels)
    for (const channel of ['+switch-master', '+promoted-slave'])
      await node.subscribe(channel, ({ kind }) => kind === 'message' && heard.add(channel));
  const before = await views(stage);
  const unknown = [
    await ask(stage, first, 'SENTINEL', 'GET-MASTER-ADDR-BY-NAME', 'nobody'),
    await ask(stage, first, 'SENTINEL', 'MASTER', 'nobody'),
    await ask(stage, first, 'SENTINEL', 'SENTINELS', 'nobody'),
  ];
  const mode = fieldIn(await ask(stage, first, 'HELLO'), 'mode');
  await stage.failover();
  await stage.until(() => heard.size === 2);
  return { before, unknown, mode, after: await views(stage), heard: [...heard].toSorted() };
}

const seen = (master: string, epoch: number): unknown =>
  Array.from({ length: 3 }, () => ({ master, epoch, knowsTheOthers: true }));

describe.each([
  ['simulated', inSimulation],
  ['real', onRealServers],
])('%s sentinels', (_, onStage) => {
  test('name the master with its epoch, know each other, and publish a failover', async () => {
    expect(await onStage(scenario)).toEqual({
      before: seen('master', 0),
      unknown: [null, 'ERR No such master with that name', 'ERR No such master with that name'],
      mode: 'sentinel',
      after: seen('replica', 1),
      heard: ['+promoted-slave', '+switch-master'],
    });
  });
});
