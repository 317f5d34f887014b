import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { CERTIFICATE, startTls } from '../../../../test/servers/redis-node-tls.ts';
import { systemClock } from '../../src/clock.ts';
import type { Resolve } from '../../src/network.ts';
import { NetworkSession } from '../../src/session.ts';
import { systemNetwork } from '../../src/socket.ts';
import { failureOf, World } from './support/zk-client-world.ts';

const SILENT = '127.0.0.2';
const REAL = '127.0.0.1';
const NOBODY = '127.0.0.3';

let world: World;
/** Accepts, at the same port as ZooKeeper, and never answers. */
let silent: Server;
const accepted: Socket[] = [];
beforeAll(async () => {
  world = await World.start();
  silent = createServer((socket) => void accepted.push(socket.on('error', () => undefined)));
  silent.listen(world.server.port, SILENT);
  await once(silent, 'listening');
});
afterAll(async () => {
  for (const socket of accepted) socket.destroy();
  silent.close();
  await world.close();
});

/** The name of all three, as a headless service has one. */
const resolve: Resolve = (host, told) => {
  if (host === 'zk.test') told([SILENT, NOBODY, REAL]);
  else systemNetwork().resolve(host, told);
};
const network = { ...systemNetwork(), resolve };
const toReal: Resolve = (_host, told) => told([REAL]);

test.each([0, 0.3, 0.6, 0.99])(
  'a name of which one address stays silent and one refuses is opened at the third (%d)',
  async (random) => {
    const clock = { ...systemClock, random: () => random };
    const servers = [`zk.test:${world.server.port}`];
    const session = await NetworkSession.open({
      servers,
      sessionTimeoutMs: 3_000,
      clock,
      network,
    });

    const { stat } = await session.exists('/');

    expect(stat).toBeDefined();
    expect(session.address).toBe(`zk.test:${world.server.port} (${REAL})`);
    await session.close();
  },
);

test('the silent one was among those tried', () => {
  expect(accepted.length).toBeGreaterThan(0);
});

test('TLS checks the certificate for the name, at whichever address', async () => {
  const secure = await startTls(world.server.port);
  const tls = { ca: CERTIFICATE };
  const open = (host: string, openMs: number): Promise<NetworkSession> =>
    NetworkSession.open({
      servers: [`${host}:${secure.port}`],
      openMs,
      network: { ...systemNetwork(tls), resolve: toReal },
    });

  const session = await open('localhost', 10_000);
  const refused = await failureOf(open('other.test', 500));

  expect(session.state).toBe('connected');
  expect(refused.message).toMatch(/other\.test.*does not match certificate/);
  await session.close();
  secure.server.close();
});

test('a name that nobody knows is named by the error', async () => {
  const opening = NetworkSession.open({
    servers: ['no-such-host.invalid:2181'],
    openMs: 1_000,
    network: systemNetwork(),
  });

  expect((await failureOf(opening)).message).toMatch(
    /no-such-host\.invalid:2181 (?:could not be resolved: getaddrinfo|was not resolved within)/,
  );
});
