import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { Proxy } from '../../src/processes/proxy/proxy.ts';

test('a proxy whose delay changes all the time delivers in order, as TCP does', async () => {
  let received = '';
  const server = createServer((socket) => {
    socket.setEncoding('latin1').on('data', (text: string) => {
      received += text;
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const proxy = await Proxy.start((server.address() as AddressInfo).port);
  const client = connect(proxy.port, '127.0.0.1').setNoDelay(true);
  onTestFinished(async () => {
    client.destroy();
    await proxy.close();
    server.close();
  });

  let sent = '';
  for (let n = 0; n < 2_000; n++) {
    proxy.delay({ up: Math.random() * 30 });
    client.write(`${n} `);
    sent += `${n} `;
    await turn();
  }

  await expect.poll(() => received.length).toBe(sent.length);
  expect(received).toBe(sent);
});
