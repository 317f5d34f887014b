import { createHost, createLocks } from '@holdfast/core/backend';
import { migration, openPostgres } from '@holdfast/postgres';
import { afterEach, describe, expect, test } from 'vitest';
import {
  PostgresReplication,
  PostgresServer,
  Proxy,
} from '../../../harness/test/kit/real-servers.ts';
import {
  ChaosClients,
  clientInjections,
  type Injection,
  injectFor,
  sleep,
} from './support/store-chaos.ts';

const CHAOS_MS = Number(process.env['CHAOS_MS'] ?? 300_000);
const TTL_MS = 4_000;
const OUTAGE_MS = 5_000;

let servers: PostgresReplication;
let clients: ChaosClients | undefined;
afterEach(async () => {
  servers.primary.resume();
  await clients?.close();
  clients = undefined;
  await servers.close();
});

async function start(isSynchronous: boolean): Promise<ChaosClients> {
  servers = await PostgresReplication.start({
    standbys: 2,
    isSynchronous,
    schema: migration(),
    start: (options) => PostgresServer.start(options),
    openLink: (port) => Proxy.start(port),
  });
  clients = await ChaosClients.start({
    size: 5,
    ports: [servers.primary.port],
    async open([address = '']) {
      const host = createHost();
      const source = `postgres://holdfast@${address}/postgres`;
      const backend = await openPostgres({ source, synchronous: isSynchronous }, host);
      return createLocks(backend, host, { ttlMs: TTL_MS });
    },
  });
  return clients;
}

/** Clients follow, and a new standby takes the place of the promoted one. */
async function promote(): Promise<PostgresServer> {
  const old = await servers.promote();
  clients?.retarget(servers.primary.port);
  await servers.addStandby();
  return old;
}

const injections: Readonly<Record<string, Injection>> = {
  'the primary is paused': async () => {
    servers.primary.stop();
    await sleep(OUTAGE_MS * Math.random());
    servers.primary.resume();
  },
  'the primary dies, and comes back': async () => {
    servers.primary.kill();
    await sleep(1_000 * Math.random());
    await servers.primary.restart();
  },
  'the primary dies, and a standby is promoted': async () => {
    servers.primary.kill();
    await (await promote()).close();
  },
  'a standby is promoted while the old primary lives': async () => {
    await (await promote()).close();
  },
  'the standbys are cut off': async () => {
    await servers.cut();
    await sleep(OUTAGE_MS * Math.random());
    await servers.heal();
  },
  ...clientInjections(() => clients),
};

describe('on a primary and two standbys, under chaos', () => {
  test(
    'no two leases are valid at once, and tokens grow, if any standby confirms each commit',
    async () => {
      const started = await start(true);
      const running = started.run();
      const counts = await injectFor(CHAOS_MS, injections);
      started.end();
      await running;

      const { grants, violations } = started.judge;
      console.info(`postgres-synchronous: ${grants} grants, ${JSON.stringify(counts)}`);
      expect(violations).toEqual([]);
      expect(grants).toBeGreaterThan(CHAOS_MS / 2_000);
    },
    CHAOS_MS + 120_000,
  );

  test('two leases are valid after a failover, if the standbys lag and confirm nothing', async () => {
    const started = await start(false);
    const running = started.run();
    for (let round = 0; round < 10 && started.judge.violations.length === 0; round++) {
      await servers.cut();
      await sleep(2_000);
      servers.primary.kill();
      await (await promote()).close();
    }
    started.end();
    await running;

    expect(started.judge.violations.join()).toMatch(/was granted while/);
  });
});
