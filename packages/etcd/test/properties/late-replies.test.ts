import type { Locks } from '@holdfast/core';
import { createHost, createLocks, validityMs } from '@holdfast/core/backend';
import { openEtcd } from '@holdfast/etcd';
import { Network, type SimProcess, World } from '@holdfast/harness/simulator';
import { SimEtcd, SimEtcdClient, type SimEtcdServer } from '@holdfast/harness/stores';
import { expect, test } from 'vitest';

const TTL_MS = 10_000;
const LATE_MS = 150;

/** Runs `work` in a world where every reply takes so long. */
async function withLateReplies(
  work: (locks: Locks, process: SimProcess, server: SimEtcdServer) => Promise<void>,
): Promise<void> {
  const world = new World({ trace: false });
  const network = new Network(world, { latencyMs: 0 });
  const { servers } = new SimEtcd(world, network, { size: 1 });
  const process = world.process('a');
  network.rule(({ way }) => (way === 'reply' ? { delayMs: LATE_MS } : 'pass'));
  const host = createHost({ runtime: process.runtime, label: 'a' });
  await world.run(async () => {
    const client = new SimEtcdClient(process, servers, network);
    const backend = await openEtcd({ client }, host);
    const locks = createLocks(backend, host, { ttlMs: TTL_MS, renew: false });
    for (const server of servers) await work(locks, process, server);
    await locks.close();
  });
}

test('a lease is valid from when its grant was requested, not from the reply', () =>
  withLateReplies(async (locks) => {
    const lease = await locks.acquire('k');
    // The replies to the lease and to its key.
    expect(lease.remainingMs()).toBe(validityMs(TTL_MS) - 2 * LATE_MS);
    await lease.release();
  }));

test('a renewed lease is valid from when the keep-alive was sent, not from the proof', () =>
  withLateReplies(async (locks, process) => {
    const lease = await locks.acquire('k');
    await process.sleep(2_000);
    await lease.extend(TTL_MS);
    // The replies to the keep-alive and to the read behind it.
    expect(lease.remainingMs()).toBe(validityMs(TTL_MS) - 2 * LATE_MS);
    await lease.release();
  }));

test('a restart of the server between two renewals is a new term, and is proven anew', () =>
  withLateReplies(async (locks, process, server) => {
    const lease = await locks.acquire('k');
    await process.sleep(1_000);
    server.restart();
    await lease.extend(TTL_MS).catch(() => undefined);
    await lease.extend(TTL_MS);

    expect(lease.state).toBe('held');
    expect((await lease.release()).kind).toBe('released');
  }));
