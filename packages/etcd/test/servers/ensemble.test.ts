import type { Locks } from '@holdfast/core';
import { type Backend, createHost, createLocks, systemRuntime } from '@holdfast/core/backend';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { EtcdEnsemble, type EtcdServer } from '../../../../harness/test/kit/real-servers.ts';
import { openGrpcClient } from '../../src/adapters/grpc.ts';
import { openEtcd } from '../../src/open.ts';
import { until } from './support/etcd-world.ts';
import { LossyClient } from './support/lossy-client.ts';

const runtime = systemRuntime();
const inMs = (ms: number): number => runtime.now().monotonicMs + ms;

let ensemble: EtcdEnsemble;
let leader: EtcdServer;
const opened: Locks[] = [];
beforeAll(async () => {
  ensemble = await EtcdEnsemble.start();
});
beforeEach(async () => {
  leader = await leaderOf();
});
afterAll(async () => {
  await Promise.all(opened.map((locks) => locks.close({ timeoutMs: 100 })));
  await ensemble.close();
});

let keys = 0;
const newKey = (): string => `orders/${(keys += 1)}`;

async function leaderOf(): Promise<EtcdServer> {
  let found: EtcdServer | undefined;
  await until(async () => {
    found = await ensemble.leader();
    return found !== undefined;
  });
  if (found === undefined) throw new Error('no leader');
  return found;
}

async function open(
  servers: readonly string[],
): Promise<{ backend: Backend; client: LossyClient; locks: Locks }> {
  const host = createHost({ label: 'a' });
  const client = new LossyClient(await openGrpcClient({ servers }, runtime));
  const backend = await openEtcd({ client }, host);
  const locks = createLocks(backend, host, { ttlMs: 20_000 });
  opened.push(locks);
  return { backend, client, locks };
}

describe('a leader that was paused and replaced', () => {
  test('answers a keep-alive, which proves nothing', async () => {
    const { backend, client } = await open([leader.address]);
    const contender = backend.contend({ key: newKey(), contender: 'c1', ttlMs: 20_000 });
    const attempt = await contender.attempt(inMs(5_000));
    if (attempt.kind !== 'granted') throw new Error(attempt.kind);
    leader.stop();
    await until(async () => {
      const successor = await ensemble.leader();
      return successor !== undefined && successor !== leader;
    });

    const renewing = attempt.grant.renew?.(20_000);
    await until(() => client.requests.includes('keepAlive'));
    const resumed = runtime.now();
    leader.resume();
    const renewal = await renewing;

    // The first keep-alive is answered by the old leader, and the read behind it shows the new term.
    expect(client.requests.filter((kind) => kind === 'keepAlive')).toHaveLength(2);
    if (renewal?.kind !== 'renewed') throw new Error(`the renewal was ${renewal?.kind}`);
    expect(renewal.validity.from.monotonicMs).toBeGreaterThan(resumed.monotonicMs);
    await attempt.grant.release();
  });
});

describe('the death of the leader', () => {
  test('ends no lease, and no wait', async () => {
    const key = newKey();
    const [a, b] = await Promise.all([
      open([leader.address, ...ensemble.addresses]),
      open(ensemble.addresses),
    ]);
    const lease = await a.locks.acquire(key, { ttlMs: 3_000 });
    const waiting = b.locks.acquire(key, { waitMs: 60_000 });
    await until(async () => (await a.locks.inspect(key)).waiters === 1);

    leader.kill();
    const renewals = (): number => a.client.requests.filter((kind) => kind === 'keepAlive').length;
    const before = renewals();
    await until(() => renewals() >= before + 3);

    expect(lease.state).toBe('held');
    expect((await lease.release()).kind).toBe('released');
    const second = await waiting;
    expect(second.fencingToken).toBeGreaterThan(lease.fencingToken ?? 0n);
    await second.release();
    await leader.restart();
  });
});
