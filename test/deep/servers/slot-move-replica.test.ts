import { type Backend, createHost, systemRuntime } from '@holdfast/core/backend';
import { openRedisSimple } from '@holdfast/redis-simple';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { RedisCluster, type RedisClusterNode } from '../../../harness/test/kit/real-servers.ts';
import {
  attempt,
  contend,
  type Held,
  LONG_MS,
  lockOf,
  take,
  until,
  won,
} from '../../support/contending.ts';

const PASSWORD = 'of-the-cluster';
const KEY = 'moved';
const runtime = systemRuntime();

let cluster: RedisCluster;
let backend: Backend;
let held: Held;
let from: RedisClusterNode;
let to: RedisClusterNode;
let slot: number;
beforeEach(async () => {
  cluster = await RedisCluster.start({ password: PASSWORD });
  backend = await openRedisSimple({ source: cluster.url, waitReplicas: 1 }, createHost());
  slot = Number(await cluster.masters[0]?.ask('CLUSTER', 'KEYSLOT', `{${KEY}}`));
  from = await cluster.ownerOf(slot);
  const other = cluster.masters.find((each) => each !== from);
  if (other === undefined) throw new Error('there is one master only');
  to = other;
  held = await take(backend, KEY, LONG_MS);
});
afterEach(async () => {
  await backend.close({ timeoutMs: 1_000 });
  await cluster.close();
});

/** Cuts a replica from the data of its master; both stay members of the cluster. */
async function cutReplica(): Promise<RedisClusterNode> {
  const replica = await cluster.replicaOf(to);
  await replica.ask('CONFIG', 'SET', 'masterauth', 'wrong');
  await to.ask('CLIENT', 'KILL', 'TYPE', 'replica');
  await until(async () => (await to.read('INFO', 'replication')).includes('connected_slaves:0'));
  return replica;
}

test('a lease that a replica acknowledged is lost with the target of a slot move whose replica has not received it', async () => {
  expect(await (await cluster.replicaOf(from)).read('DBSIZE')).toBe('2');
  const replica = await cutReplica();
  await cluster.moveSlot(slot, to);
  expect(await to.ask('GET', lockOf(KEY))).toBe(held.owner);
  await until(async () => (await replica.read('CLUSTER', 'NODES')).includes('myself,slave'));

  await to.server.end();
  await until(async () => (await replica.read('INFO', 'replication')).includes('role:master'));
  // Nothing is granted until the promoted replica has one of its own, which has as little.
  expect((await attempt(contend(backend, KEY, LONG_MS))).kind).toBe('unavailable');
  await to.server.restart();
  const other = await won(contend(backend, KEY, LONG_MS));

  // Two valid leases: the first one's deadline is far away, and no server has it any more.
  expect(runtime.elapsedMs(held.validity.from)).toBeLessThan(held.validity.ms / 2);
  expect(await (await cluster.ownerOf(slot)).id()).toBe(await replica.id());
  expect(other.owner).not.toBe(held.owner);
  expect(await held.renew(LONG_MS)).toEqual({ kind: 'lost' });
});

test('with min-replicas-to-write the target refuses a slot while it has no replica, and the lease stays', async () => {
  await to.ask('CONFIG', 'SET', 'min-replicas-to-write', '1');
  await cutReplica();

  await expect(cluster.moveSlot(slot, to)).rejects.toThrow('NOREPLICAS');

  expect(await from.ask('GET', lockOf(KEY))).toBe(held.owner);
  expect(await held.renew(LONG_MS)).toMatchObject({ kind: 'renewed' });
  expect(await held.release()).toEqual({ kind: 'released' });
});
