import { once } from 'node:events';
import { connect, createServer, type Server } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { RespLink } from '../src/adapters/resp/resp-link.ts';

let server: Server;
beforeEach(async () => {
  server = createServer((socket) => socket.resume()).listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterEach(() => new Promise((done) => void server.close(done)));

function portOf(address: ReturnType<Server['address']>): number {
  return typeof address === 'object' && address !== null ? address.port : 0;
}

/** The number of connections that keep the process alive. */
function connections(): number {
  return process.getActiveResourcesInfo().filter((each) => each === 'TCPSocketWrap').length;
}

test.each([false, true])(
  'a name whose first address refuses keeps the process alive as it was asked to: %s',
  async (alive) => {
    const before = connections();
    // Each address gets a socket handle of its own.
    const addresses = [
      { address: '::1', family: 6 },
      { address: '127.0.0.1', family: 4 },
    ];
    const socket = connect({
      host: 'redis.test',
      port: portOf(server.address()),
      lookup: (_host, _options, found) => found(null, addresses),
    });
    const accepted = once(server, 'connection');
    let link: RespLink | undefined;
    await new Promise<void>((ready) => {
      const events = {
        ready,
        closed: () => undefined,
        published: () => undefined,
        unsubscribed: () => undefined,
      };
      link = new RespLink({ socket, connected: 'connect', events, secrets: [], logIn: [] });
      link.keepAlive(alive);
    });
    const [peer] = await accepted;
    peer.unref();
    const found = { remote: socket.remoteAddress, kept: connections() - before };
    link?.close();

    expect(found).toEqual({
      remote: '127.0.0.1',
      kept: alive ? 1 : 0,
    });
  },
);
