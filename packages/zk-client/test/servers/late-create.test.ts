import { createServer, connect as dial, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Session } from '@holdfast/zk-client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ZooKeeperEnsemble } from '../../../../harness/src/servers/zookeeper/real/zookeeper-ensemble.ts';

/** Longer than a server takes to serve what has come. */
const LANDED_MS = 500;
const T_MS = 8_000;

/** Takes one client, whose bytes may stay on the way when it has gone, and arrive after all. */
class SlowRoad {
  readonly #server: Server;
  readonly #late: Buffer[] = [];
  #client: Socket | undefined;
  #target: Socket | undefined;
  #isSlow = false;

  private constructor(server: Server) {
    this.#server = server;
  }

  static async to(port: number): Promise<SlowRoad> {
    const server = createServer();
    const route = new SlowRoad(server);
    server.on('connection', (client) => route.#carry(client, port));
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    return route;
  }

  get address(): string {
    const address = this.#server.address();
    return typeof address === 'object' && address !== null ? `127.0.0.1:${address.port}` : '';
  }

  slow(): void {
    this.#isSlow = true;
  }

  /** The client's end is lost, and there is no other way along here; the server learns nothing. */
  loseClient(): void {
    this.#server.close();
    this.#client?.destroy();
  }

  arrive(): void {
    for (const bytes of this.#late) this.#target?.write(bytes);
  }

  close(): void {
    this.#server.close();
    this.#client?.destroy();
    this.#target?.destroy();
  }

  #carry(client: Socket, port: number): void {
    const target = dial(port, '127.0.0.1');
    this.#client = client;
    this.#target = target;
    for (const socket of [client, target]) socket.on('error', () => {});
    client.on('data', (bytes) => {
      if (this.#isSlow) this.#late.push(bytes);
      else target.write(bytes);
    });
    target.on('data', (bytes) => client.write(bytes));
  }
}

let ensemble: ZooKeeperEnsemble;
beforeAll(async () => {
  ensemble = await ZooKeeperEnsemble.start({ tickMs: 500 });
}, 60_000);
afterAll(() => ensemble.close());

/** A creation that was sent, whose connection is lost for the client and not for the server, and which has not arrived. */
async function underWay(route: SlowRoad, session: Session, path: string): Promise<void> {
  await session.create(path, '', {});
  route.slow();
  const created = session.create(`${path}/c`, '', { mode: 'ephemeral' });
  const failed = created.catch((error: unknown) => error);
  await sleep(50);
  route.loseClient();
  expect(await failed).toMatchObject({ code: 'UNKNOWN_OUTCOME' });
}

async function openOn(route: SlowRoad, others: readonly string[]): Promise<Session> {
  for (;;) {
    const servers = [route.address, ...others];
    const session = await Session.open({ servers, sessionTimeoutMs: T_MS });
    if (session.address === route.address) return session;
    await session.close();
  }
}

/** The look-up after a lost answer relies on it: what it does not find will not stand later either. */
test.each([
  ['another server', 1, '/another'],
  ['the same server', 0, '/same'],
])(
  'a creation that arrives late on a dead connection is not applied once its session has gone on at %s',
  async (_, next, path) => {
    const addresses = ensemble.servers.map(({ address }) => address);
    const route = await SlowRoad.to(portOf(0));
    const session = await openOn(route, addresses.slice(next, next + 1));
    try {
      await underWay(route, session, path);
      await connected(session);
      await session.sync(path);
      expect((await session.getChildren(path)).children).toEqual([]);

      route.arrive();
      await sleep(LANDED_MS);
      await session.sync(path);

      expect((await session.getChildren(path)).children).toEqual([]);
    } finally {
      route.close();
      await session.close();
    }
  },
  30_000,
);

test('while its session has not, it is', async () => {
  const route = await SlowRoad.to(portOf(0));
  const session = await openOn(route, []);
  const other = await Session.open({ servers: ensemble.addresses });
  try {
    await underWay(route, session, '/nowhere');
    route.arrive();
    await sleep(LANDED_MS);
    await other.sync('/nowhere');

    expect((await other.getChildren('/nowhere')).children).toEqual(['c']);
  } finally {
    route.close();
    await Promise.all([session.close({ timeoutMs: 0 }), other.close()]);
  }
}, 30_000);

function portOf(index: number): number {
  const server = ensemble.servers[index];
  if (server === undefined) throw new Error('no such server');
  return server.port;
}

function connected(session: Session): Promise<void> {
  if (session.state === 'connected') return Promise.resolve();
  return new Promise((resolve) => {
    const stop = session.onState((state) => {
      if (state !== 'connected') return;
      stop();
      resolve();
    });
  });
}
