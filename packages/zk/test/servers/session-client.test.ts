import type { Server } from 'node:net';
import { systemRuntime } from '@holdfast/core/backend';
import { clientSessions } from '@holdfast/zk';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { freePort, Proxy, ZooKeeperServer } from '../../../../harness/test/kit/real-servers.ts';
import { type Adapter, type Addresses, networkOf, playCheck } from './support/play-check.ts';
import { CHECKS, TIMEOUT_MS } from './support/session-checks.ts';
import { portOf, startTrickle } from './support/trickle.ts';

const runtime = systemRuntime();
const adapter: Adapter = (address, chroot) =>
  clientSessions(
    { servers: [address], chroot, sessionTimeoutMs: TIMEOUT_MS, auth: undefined },
    runtime,
  );

/** Runs the checks of `session-native.test.ts` on `@holdfast/zk-client`. */
describe('a session through zk-client', () => {
  let server: ZooKeeperServer;
  let proxy: Proxy;
  let trickle: Server;
  let addresses: Addresses;

  beforeAll(async () => {
    server = await ZooKeeperServer.start({
      properties: { 'znode.container.checkIntervalMs': 200 },
    });
    proxy = await Proxy.start(server.port);
    trickle = await startTrickle(server.port);
    addresses = {
      direct: server.address,
      proxied: `127.0.0.1:${proxy.port}`,
      trickling: `127.0.0.1:${portOf(trickle)}`,
      nowhere: `127.0.0.1:${await freePort()}`,
    };
  });

  afterAll(async () => {
    trickle.close();
    await proxy.close();
    await server.close();
  });

  // oxlint-disable-next-line vitest/expect-expect -- a check throws
  test.each(CHECKS.map((check) => [check.name, check] as const))('%s', async (_, check) => {
    await playCheck(check, adapter, addresses, networkOf(proxy));
  });
});
