import { expect, test } from 'vitest';
import { ClusterNode } from '../src/cluster/cluster-node.ts';
import type { MemberNode } from '../src/cluster/routing.ts';
import { slotOf } from '../src/cluster/slot.ts';
import { NodeReplyError, type Reply } from '../src/port.ts';
import { HandRuntime } from './support/by-hand.ts';
import { settle } from './support/sentinels-by-hand.ts';

/** The reply to CLUSTER SLOTS of two nodes, of which one is the master. */
function slots(master: string): Reply {
  const [first, second] = master === 'a' ? ['a', 'b'] : ['b', 'a'];
  return [[0, 16_383, [first, 1, `id-${first}`], [second, 1, `id-${second}`]]];
}

function refused(): Promise<never> {
  return Promise.reject(new Error('not in this test'));
}

function member(address: string, reply: (command: string | undefined) => Reply): MemberNode {
  const command = (args: readonly string[]): Promise<Reply> =>
    Promise.resolve().then(() => reply(args[0]));
  return { address, command, script: refused, subscribe: refused, close: () => Promise.resolve() };
}

test('a master that is cut from its cluster, and says so, is left for the one that took over', async () => {
  const runtime = new HandRuntime();
  let master = 'a';
  const a = member('a:1', (command) => {
    if (command === 'CLUSTER') return slots('a');
    if (master === 'a') return 'from a';
    throw new NodeReplyError('CLUSTERDOWN', 'CLUSTERDOWN The cluster is down');
  });
  const b = member('b:1', (command) => (command === 'CLUSTER' ? slots(master) : 'from b'));
  const open = (address: string): MemberNode => (address === 'a:1' ? a : b);
  const options = { runtime, open, natMap: undefined, connectMs: 2_000 };
  const node = new ClusterNode({ ...options, seeds: ['a:1', 'b:1'] });
  const get = (): Promise<Reply> => node.command(['GET', 'k'], { deadlineMs: 60_000 });
  expect(await get()).toBe('from a');

  master = 'b';
  await expect(get()).rejects.toThrow('CLUSTERDOWN');
  runtime.pass(1_000);
  await settle();

  expect(await get()).toBe('from b');
  await node.close();
});

test('a subscription follows its slot no more often than it pauses, however often the nodes change their minds', async () => {
  const runtime = new HandRuntime();
  let [refusing, subscriptions] = ['', 0];
  let heard: ((event: { readonly kind: 'message' | 'gap' }) => void) | undefined;
  const changingMember = (address: string): MemberNode => ({
    ...member(address, (command) => {
      if (command === 'CLUSTER') return slots('a');
      if (address !== refusing) return 'OK';
      const text = `MOVED ${slotOf('k')} ${address === 'a:1' ? 'b:1' : 'a:1'}`;
      throw new NodeReplyError('MOVED', text);
    }),
    subscribe: async (_, listener) => {
      // So that a run without pauses ends.
      if (++subscriptions > 50) return await new Promise(() => undefined);
      heard ??= listener;
      if (subscriptions > 1) refusing = address;
      await node.command(['GET', 'k'], { deadlineMs: 60_000 });
      return { close: () => undefined };
    },
  });
  const members = new Map(['a:1', 'b:1'].map((address) => [address, changingMember(address)]));
  const open = (address: string): MemberNode => members.get(address) ?? changingMember(address);
  const node = new ClusterNode({
    runtime,
    open,
    seeds: ['a:1'],
    natMap: undefined,
    connectMs: 2_000,
  });
  await node.subscribe('k', () => undefined);

  heard?.({ kind: 'gap' });
  for (let turns = 0; turns < 20; turns++) await settle();

  expect(subscriptions).toBe(2);
  await node.close();
});

test('a node that had no shard channels is asked for them again once its connection was lost', async () => {
  const runtime = new HandRuntime();
  const asked: boolean[] = [];
  let hasShards = false;
  let heard: ((event: { readonly kind: 'message' | 'gap' }) => void) | undefined;
  const a: MemberNode = {
    ...member('a:1', (command) => (command === 'CLUSTER' ? slots('a') : 'OK')),
    subscribe: async (_, listener, isSharded = false) => {
      asked.push(isSharded);
      if (isSharded && !hasShards)
        throw new NodeReplyError('ERR', "ERR unknown command 'SSUBSCRIBE'");
      heard = listener;
      return { close: () => undefined };
    },
  };
  const options = { runtime, open: () => a, natMap: undefined, connectMs: 2_000 };
  const node = new ClusterNode({ ...options, seeds: ['a:1'] });
  await node.subscribe('k', () => undefined);
  await node.subscribe('l', () => undefined);
  expect(asked).toEqual([true, false, false]);

  hasShards = true;
  heard?.({ kind: 'gap' });
  for (let turns = 0; turns < 5; turns++) await settle();

  expect(asked).toEqual([true, false, false, true]);
  await node.close();
});
