import { afterEach, beforeEach, expect, test } from 'vitest';
import { PostgresServer, Proxy } from '../../../../harness/test/kit/real-servers.ts';
import { Bench } from '../kit.ts';

const TTL_MS = 20_000;
const SYNCHRONOUS = 'synchronous_standby_names';

let bench: Bench;
let standby: PostgresServer;
/** What the primary replicates goes through it. */
let replication: Proxy;
/** The address that clients know: of the primary, and of the standby once that was promoted. */
let address: Proxy;
let url: string;

beforeEach(async () => {
  bench = await Bench.start();
  replication = await Proxy.start(bench.server.port);
  standby = await PostgresServer.start({ standbyOf: replication.port });
  address = await Proxy.start(bench.server.port);
  url = `postgres://holdfast@127.0.0.1:${address.port}/postgres`;
});
afterEach(async () => {
  await bench.closeAll();
  await Promise.all([address.close(), replication.close()]);
  await Promise.all([standby.close(), bench.close()]);
});

/** The primary dies, and its standby is promoted. */
async function failOver(): Promise<void> {
  bench.server.kill();
  replication.reset();
  await standby.promote();
  address.retarget(standby.port);
}

test('a failover to a synchronous standby loses neither the lock nor its token', async () => {
  await bench.server.configure(SYNCHRONOUS, 'standby');
  const { locks } = await bench.open({ source: url, synchronous: true, ttlMs: TTL_MS });
  const { locks: others } = await bench.open({ source: url, ttlMs: TTL_MS });
  const lease = await locks.acquire('k');

  await failOver();

  await expect(others.acquire('k', { waitMs: 3_000 })).rejects.toMatchObject({
    code: 'LOCK_TIMEOUT',
  });
  expect(await others.inspect('k')).toMatchObject({ fencingToken: lease.fencingToken });
  // The new primary has no standby of its own.
  await expect(locks.acquire('other', { waitMs: 0 })).rejects.toThrow(SYNCHRONOUS);
});

test('a failover to a standby that lags loses the lock, and not the order of tokens', async () => {
  const { locks } = await bench.open({ source: url, ttlMs: TTL_MS });
  const { locks: others } = await bench.open({ source: url, ttlMs: TTL_MS });
  replication.cut('down');
  const lease = await locks.acquire('k');

  await failOver();
  const second = await others.acquire('k', { waitMs: 10_000 });

  expect(lease.state).toBe('held');
  expect(second.fencingToken).toBeGreaterThan(lease.fencingToken ?? 0n);
});
