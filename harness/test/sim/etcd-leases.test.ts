import type { EtcdClient } from '@holdfast/etcd/port';
import { Network, type SimProcess, World } from '@holdfast/harness/simulator';
import {
  SimEtcd,
  SimEtcdClient,
  type SimEtcdOptions,
  type SimEtcdServer,
} from '@holdfast/harness/stores';
import { expect, test } from 'vitest';

const ID = 7n;
const TTL_S = 4;
const CALL_MS = 1_000;
/** By then the others have elected a leader. */
const ELECTED_MS = 1_500;
/** A lease ends a look of its leader after its ttl and an election timeout. */
const LOOK_MS = 1_000;

interface Play {
  readonly world: World;
  readonly etcd: SimEtcd;
  readonly network: Network;
  readonly process: SimProcess;
  /** A client of the given server alone. */
  at(server: SimEtcdServer): EtcdClient;
  deadline(ms?: number): number;
}

async function playing(
  options: SimEtcdOptions,
  work: (play: Play, leader: SimEtcdServer) => Promise<void>,
): Promise<void> {
  const world = new World({ trace: false });
  const network = new Network(world, { latencyMs: 1 });
  const etcd = new SimEtcd(world, network, options);
  const process = world.process('a');
  await world.run(async () => {
    await world.advance(100);
    const { leader } = etcd;
    if (leader === undefined) throw new Error('no leader');
    await work(
      {
        world,
        etcd,
        network,
        process,
        at: (server) => new SimEtcdClient(process, [server], network),
        deadline: (ms = CALL_MS) => process.runtime.now().monotonicMs + ms,
      },
      leader,
    );
  });
}

/** Grants a lease with a key. */
async function grant(client: EtcdClient, deadlineMs: number): Promise<void> {
  await client.grant({ id: ID, ttlSeconds: TTL_S }, deadlineMs);
  const put = { kind: 'put', key: 'q/1', value: 'x', lease: ID } as const;
  await client.txn({ compare: [], success: [put], failure: [] }, deadlineMs);
}

function keysOf({ store }: SimEtcdServer): readonly string[] {
  return store.keys.map(({ key }) => key);
}

function otherThan({ etcd }: Play, leader: SimEtcdServer): SimEtcdServer {
  const other = etcd.servers.find((server) => server !== leader);
  if (other === undefined) throw new Error('there is only one server');
  return other;
}

test('a leader that was paused and replaced answers a keep-alive while its disk still stalls', () =>
  playing({}, async (play, leader) => {
    const client = play.at(leader);
    await grant(client, play.deadline());
    leader.stop(ELECTED_MS);
    await play.world.advance(ELECTED_MS - 1);
    expect(play.etcd.leader).not.toBe(leader);

    const kept = await client.keepAlive(ID, play.deadline());
    const after = await client.range({ kind: 'read', key: 'q/1' }, play.deadline());

    // Still of the old term: no majority was asked. The read is of the new one.
    expect(kept.ttlSeconds).toBe(TTL_S);
    expect(after.header.raftTerm).toBeGreaterThan(kept.header.raftTerm);
  }));

test('a new leader starts each ttl again, and then ends the lease although its clock is another', () =>
  playing({}, async (play, leader) => {
    await grant(play.at(leader), play.deadline());
    leader.crash();
    const other = otherThan(play, leader);

    await play.world.advance(TTL_S * 1_000);
    expect(keysOf(other)).toEqual(['q/1']);
    await play.world.advance(ELECTED_MS + LOOK_MS);
    expect(keysOf(other)).toEqual([]);
  }));

test('a checkpoint keeps what is left of a lease from one leader to the next', () =>
  playing({ checkpointMs: 1_000 }, async (play, leader) => {
    await grant(play.at(leader), play.deadline());
    await play.world.advance(3_500);
    leader.crash();
    const other = otherThan(play, leader);

    await play.world.advance(ELECTED_MS + 1_000 + LOOK_MS);

    expect(keysOf(other)).toEqual([]);
  }));

test('a renewal makes all servers forget the checkpoint before it is answered', () =>
  playing({ checkpointMs: 1_000 }, async (play, leader) => {
    const client = play.at(leader);
    await grant(client, play.deadline());
    await play.world.advance(3_500);
    await client.keepAlive(ID, play.deadline());
    leader.crash();
    const other = otherThan(play, leader);

    await play.world.advance(TTL_S * 1_000);

    expect(keysOf(other)).toEqual(['q/1']);
  }));

test.each([
  { revokesUnasked: false, keys: ['q/1'] },
  { revokesUnasked: true, keys: [] },
])(
  'a leader that was paused past a ttl that its successor renewed: asking first is $revokesUnasked, left are $keys',
  ({ revokesUnasked, keys }) =>
    playing({ revokesUnasked }, async (play, leader) => {
      await grant(play.at(leader), play.deadline());
      leader.stop(TTL_S * 1_000 + LOOK_MS);
      await play.world.advance(ELECTED_MS);
      const other = otherThan(play, leader);
      const client = play.at(other);
      await client.keepAlive(ID, play.deadline());
      await play.world.advance(TTL_S * 1_000 - ELECTED_MS);
      await client.keepAlive(ID, play.deadline());

      await play.world.advance(LOOK_MS + 100);

      expect(keysOf(other)).toEqual(keys);
    }),
);

test('a leader without a majority steps down, and answers no keep-alive and no read any more', () =>
  playing({}, async (play, leader) => {
    const client = play.at(leader);
    await grant(client, play.deadline());
    for (const server of play.etcd.servers) if (server !== leader) play.network.cut(leader, server);
    await play.world.advance(ELECTED_MS);

    await expect(client.keepAlive(ID, play.deadline())).rejects.toThrow('no reply in time');
    await expect(client.range({ kind: 'read', key: 'q/1' }, play.deadline())).rejects.toThrow(
      'no reply in time',
    );
    expect(leader.leads).toBe(false);
  }));

test('a read sees what was committed before it, although its server lags', () =>
  playing({ lagMs: 300 }, async (play, leader) => {
    await grant(play.at(leader), play.deadline());
    const other = otherThan(play, leader);
    expect(keysOf(other)).toEqual([]);

    const { keys } = await play.at(other).range({ kind: 'read', key: 'q/1' }, play.deadline());

    expect(keys).toHaveLength(1);
  }));

test('a watch whose revision is compacted ends, and so do all watches of a server without a leader', () =>
  playing({}, async (play, leader) => {
    const told: string[] = [];
    const watch = (client: EtcdClient, from: bigint): void =>
      void client.watch('q/1', from, {
        created: () => told.push('created'),
        deleted: () => told.push('deleted'),
        ended: (cause) => told.push(String(cause)),
      });
    await grant(play.at(leader), play.deadline());
    play.etcd.compact();
    await play.world.advance(100);
    watch(play.at(leader), 1n);
    await play.world.advance(100);
    watch(play.at(leader), 1_000n);
    await play.world.advance(100);
    for (const server of play.etcd.servers) if (server !== leader) server.crash();
    await play.world.advance(2 * ELECTED_MS);

    expect(told).toEqual([
      'Error: etcdserver: mvcc: required revision has been compacted',
      'created',
      'Error: etcdserver: no leader',
    ]);
  }));

test('a server that comes back without its data has everything again, and a majority keeps all of it meanwhile', () =>
  playing({}, async (play, leader) => {
    await grant(play.at(leader), play.deadline());
    const other = otherThan(play, leader);
    other.restart({ data: 'empty' });
    await play.world.advance(LOOK_MS);
    expect(keysOf(other)).toEqual(['q/1']);

    for (const server of play.etcd.servers) server.restart({ data: 'empty' });
    await play.world.advance(ELECTED_MS);

    for (const server of play.etcd.servers) expect(keysOf(server)).toEqual([]);
  }));

test('a comparison tells two revisions apart that are one as doubles', () =>
  playing({ firstRevision: 2n ** 53n - 1n }, async (play, leader) => {
    const client = play.at(leader);
    const put = { kind: 'put', key: 'q/1', value: 'x' } as const;
    const writing = async (revision: bigint): Promise<boolean> => {
      const compare = [{ key: 'q/1', target: 'mod', revision } as const];
      return (await client.txn({ compare, success: [put], failure: [] }, play.deadline()))
        .succeeded;
    };

    expect(await writing(0n)).toBe(true);
    expect(await writing(2n ** 53n)).toBe(true);
    expect(await writing(2n ** 53n)).toBe(false);
    expect(await writing(2n ** 53n + 1n)).toBe(true);
  }));
