import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { describe, expect, test } from 'vitest';
import { VirtualRuntime } from '../../redis-simple/test/support/virtual-runtime.ts';
import { openZk, type ZkOptions } from '../src/open.ts';

/** What the only server hears first of who opens locks with these options. */
async function heard(options: ZkOptions): Promise<Buffer> {
  const runtime = new VirtualRuntime();
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const connected = once(server, 'connection');
  const host = { runtime, label: 'box', emit: () => {} };
  const opening = openZk({ servers: [`127.0.0.1:${port}`], ...options }, host);
  const [socket]: Socket[] = await connected;
  const [first]: Buffer[] = socket === undefined ? [] : await once(socket, 'data');
  socket?.destroy();
  server.close();
  await runtime.pass(10_000);
  await (await opening).close();
  return first ?? Buffer.alloc(0);
}

describe('the servers', () => {
  test('are asked for the session timeout that was asked for', async () => {
    const greeting = await heard({ sessionTimeoutMs: 12_345 });

    // Behind the length, the version of the protocol, and the latest transaction that was seen.
    expect(greeting.readInt32BE(4 + 4 + 8)).toBe(12_345);
  });

  test('are spoken to by TLS where that is asked for', async () => {
    const handshake = 22;

    expect((await heard({ tls: {} }))[0]).toBe(handshake);
  });
});
