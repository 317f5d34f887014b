import { systemRuntime } from '@holdfast/core/backend';
import {
  moveKey,
  Network,
  SimRedisServer,
  World as SimWorld,
  SlotGuard,
  simRedisNode,
} from '@holdfast/harness/simulator';
import { openRedisNode } from '@holdfast/redis';
import { type MemberNode, slotOf } from '@holdfast/redis/links';
import { describe, expect, test } from 'vitest';
import { RedisCluster } from '../../harness/test/kit/real-servers.ts';

/** Two masters, and the slot of `{t2}`, which is on its way from the first to the second. */
interface Stage {
  readonly nowMs: () => number;
  readonly source: MemberNode;
  readonly target: MemberNode;
  /** Both ends know that the slot moves. */
  begin(): Promise<void>;
  /** One key, with its ttl. */
  moveKeys(): Promise<void>;
  /** An end learns that the target owns the slot. */
  tell(end: 'source' | 'target'): Promise<void>;
  /** The place that a redirect names. */
  nameOf(place: string): string;
}

type OnStage = (run: (stage: Stage) => Promise<unknown>) => Promise<unknown>;

/** In the first half of the slots. */
const TAG = 't2';
const SLOT = slotOf(`{${TAG}}`);

const onRealServers: OnStage = async (run) => {
  const cluster = await RedisCluster.start({ masters: 2, replicas: 0 });
  const [from, to] = cluster.masters;
  if (from === undefined || to === undefined) throw new Error('there are two masters');
  const [fromId, toId] = [await from.id(), await to.id()];
  const runtime = systemRuntime();
  const open = async (address: string): Promise<MemberNode> =>
    await openRedisNode(`redis://${address}`, { runtime, expects: 'any' });
  const [source, target] = [await open(from.address), await open(to.address)];
  const setSlot = async (end: typeof from, ...args: string[]): Promise<void> =>
    void (await end.ask('CLUSTER', 'SETSLOT', `${SLOT}`, ...args));
  try {
    return await run({
      nowMs: () => runtime.now().monotonicMs,
      source,
      target,
      begin: async () => {
        await setSlot(to, 'IMPORTING', fromId);
        await setSlot(from, 'MIGRATING', toId);
      },
      moveKeys: () => cluster.migrateKeys(SLOT, from, to),
      tell: (end) => setSlot(end === 'source' ? from : to, 'NODE', toId),
      nameOf: (place) => (place === from.address ? 'source' : 'target'),
    });
  } finally {
    await Promise.all([source.close(), target.close()]);
    await cluster.close();
  }
};

const inSimulation: OnStage = async (run) => {
  const world = new SimWorld({ guard: true, maxVirtualMs: 60_000 });
  const network = new Network(world, { latencyMs: 1 });
  const still = { replica: undefined, migratingTo: undefined, isImporting: false, isDown: false };
  const end = (name: string) => {
    const slots = new SlotGuard(name, { owner: 'n1', ...still });
    return { server: new SimRedisServer(world, name, { slots }), view: slots.view };
  };
  const [from, to] = [end('n1'), end('n2')];
  const client = world.process('client');
  return await world.run(() =>
    run({
      nowMs: () => client.clocks.monotonicMs,
      source: simRedisNode(client, from.server, network),
      target: simRedisNode(client, to.server, network),
      begin: async () => {
        to.view.isImporting = true;
        from.view.migratingTo = 'n2';
      },
      moveKeys: async () => {
        while (moveKey(from.server, to.server, 0));
      },
      tell: async (which) => {
        const { view, server } = which === 'source' ? from : to;
        Object.assign(view, { owner: 'n2', migratingTo: undefined, isImporting: false });
        server.program.slotsMoved();
      },
      nameOf: (place) => (place === 'n1:6379' ? 'source' : 'target'),
    }),
  );
};

/** The reply; of a redirect, where to. */
async function outcomeOf(stage: Stage, reply: Promise<unknown>): Promise<string> {
  try {
    return String(await reply);
  } catch (error) {
    const { message } = error as Error;
    const [, kind, place] = /^(MOVED|ASK) \d+ (\S+)$/.exec(message) ?? [];
    return place === undefined ? message : `${kind} ${stage.nameOf(place)}`;
  }
}

function key(name: string): string {
  return `{${TAG}}${name}`;
}

/** One held key, one free one, a script of both, and one of two free ones, at both ends, with ASKING and without. */
async function replies(stage: Stage): Promise<Record<string, string>> {
  const script = (...names: string[]): string[] => [
    'EVAL',
    "return redis.call('EXISTS', KEYS[1])",
    `${names.length}`,
    ...names.map(key),
  ];
  const calls: Record<string, string[]> = {
    held: ['GET', key('held')],
    free: ['GET', key('free')],
    'held and free': script('held', 'free'),
    'two free': script('free', 'none'),
    'other slot': ['EVAL', 'return 1', '2', key('held'), '{t2x}'],
  };
  const found: Record<string, string> = {};
  for (const end of ['source', 'target'] as const) {
    for (const asking of [false, true]) {
      for (const [name, args] of Object.entries(calls)) {
        const options = { deadlineMs: stage.nowMs() + 2_000, asking };
        const outcome = await outcomeOf(stage, stage[end].command(args, options));
        found[`${end}${asking ? ', asking' : ''}: ${name}`] = outcome;
      }
    }
    const subscribed = stage[end].subscribe(key('channel'), () => undefined, true);
    found[`${end}: shard channel`] = await outcomeOf(
      stage,
      subscribed.then((subscription) => {
        subscription.close();
        return 'live';
      }),
    );
  }
  return found;
}

async function scenario(stage: Stage): Promise<Record<string, Record<string, string>>> {
  const options = { deadlineMs: stage.nowMs() + 2_000 };
  await stage.source.command(['SET', `{${TAG}}held`, 'v', 'PX', '60000'], options);
  const at: Record<string, Record<string, string>> = { before: await replies(stage) };
  let ended = false;
  const channel = `{${TAG}}shard`;
  await stage.source.subscribe(channel, ({ kind }) => (ended ||= kind === 'gap'), true);
  await stage.begin();
  at['moving'] = await replies(stage);
  await stage.moveKeys();
  at['keys moved'] = await replies(stage);
  await stage.tell('target');
  // By gossip a real source may know it by now, too.
  const ofTarget = Object.entries(await replies(stage)).filter(([name]) =>
    name.startsWith('target'),
  );
  at['the target owns it'] = Object.fromEntries(ofTarget);
  await stage.tell('source');
  at['after'] = await replies(stage);
  at['subscription'] = { ended: `${ended}` };
  return at;
}

describe('nodes between which a slot moves', () => {
  let simulated: Awaited<ReturnType<typeof scenario>>;
  test('answer as real ones do, at each step', async () => {
    simulated = (await inSimulation(scenario)) as typeof simulated;
    expect(await onRealServers(scenario)).toEqual(simulated);
  });

  test('send calls on to where their keys may be, and none is lost on its way', () => {
    expect(simulated['moving']).toMatchObject({
      'source: held': 'v',
      'source: free': 'ASK target',
      'source: held and free': 'TRYAGAIN Multiple keys request during rehashing of slot',
      'source: two free': 'ASK target',
      'target: held': 'MOVED source',
      'target, asking: two free': 'TRYAGAIN Multiple keys request during rehashing of slot',
    });
    expect(simulated['keys moved']).toMatchObject({
      'source: held': 'ASK target',
      'target, asking: held': 'v',
      'target: held': 'MOVED source',
    });
    expect(simulated['after']).toMatchObject({
      'source: held': 'MOVED target',
      'target: held': 'v',
    });
    expect(simulated['subscription']).toEqual({ ended: 'true' });
  });
});
