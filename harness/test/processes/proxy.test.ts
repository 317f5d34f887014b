import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { Proxy } from '../../src/processes/proxy/proxy.ts';

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

/** A server that replies to every chunk with its name. */
async function named(name: string): Promise<number> {
  const server: Server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.on('data', () => socket.write(name));
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  closing.push(() => server.close());
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}

async function proxyTo(target: number): Promise<Proxy> {
  const proxy = await Proxy.start(target);
  closing.push(() => proxy.close());
  return proxy;
}

async function clientOf(proxy: Proxy): Promise<Socket> {
  const socket = connect(proxy.port, '127.0.0.1');
  socket.on('error', () => undefined);
  closing.push(() => socket.destroy());
  await once(socket, 'connect');
  return socket;
}

async function replyTo(socket: Socket): Promise<string> {
  const reply = once(socket, 'data');
  socket.write('?');
  const [bytes] = await reply;
  return String(bytes);
}

test('what a cut holds arrives when it is healed', async () => {
  const proxy = await proxyTo(await named('one'));
  const socket = await clientOf(proxy);
  await replyTo(socket);
  const received: string[] = [];
  socket.on('data', (bytes) => received.push(String(bytes)));

  proxy.cut('both');
  socket.write('?');
  // A round trip through another proxy takes as long.
  await replyTo(await clientOf(await proxyTo(await named('other'))));
  expect(received).toEqual([]);
  const arrived = once(socket, 'data');
  proxy.heal();
  await arrived;

  expect(received).toEqual(['one']);
});

test('connections whose bytes were held are reset if the cut drops them', async () => {
  const proxy = await proxyTo(await named('one'));
  const socket = await clientOf(proxy);
  await replyTo(socket);
  proxy.cut('down');
  socket.write('?');
  await replyTo(await clientOf(await proxyTo(await named('other'))));

  const closed = new Promise((done) => socket.once('close', done));
  proxy.heal({ drop: true });
  await closed;

  expect(socket.destroyed).toBe(true);
});

test('a proxy that is retargeted resets its connections, and leads to another server from then on', async () => {
  const proxy = await proxyTo(await named('one'));
  const socket = await clientOf(proxy);
  expect(await replyTo(socket)).toBe('one');

  const closed = new Promise((done) => socket.once('close', done));
  proxy.retarget(await named('two'));
  await closed;

  expect(await replyTo(await clientOf(proxy))).toBe('two');
});

test('a cut of subscribed connections leaves the others open', async () => {
  const proxy = await proxyTo(await named('one'));
  const [plain, subscriber] = [await clientOf(proxy), await clientOf(proxy)];
  const subscribed = once(subscriber, 'data');
  subscriber.write('*2\r\n$10\r\nSSUBSCRIBE\r\n$1\r\nc\r\n');
  await subscribed;
  const received: string[] = [];
  subscriber.on('data', (bytes) => received.push(String(bytes)));

  proxy.cut('down', 'subscribed');
  subscriber.write('?');

  expect(await replyTo(plain)).toBe('one');
  expect(await replyTo(await clientOf(proxy))).toBe('one');
  expect(received).toEqual([]);
});

test('new connections pass while the open ones are cut', async () => {
  const proxy = await proxyTo(await named('one'));
  const open = await clientOf(proxy);
  await replyTo(open);
  const received: string[] = [];
  open.on('data', (bytes) => received.push(String(bytes)));

  proxy.cut('both', 'open');
  open.write('?');

  expect(await replyTo(await clientOf(proxy))).toBe('one');
  expect(received).toEqual([]);
});

test('a lost reply never arrives, and its connection is reset; the next connection gets a reply', async () => {
  const proxy = await proxyTo(await named('one'));
  const socket = await clientOf(proxy);
  await replyTo(socket);
  const received: string[] = [];
  socket.on('data', (bytes) => received.push(String(bytes)));

  proxy.loseReplies();
  const closed = new Promise((done) => socket.once('close', done));
  socket.write('?');
  await closed;

  expect(received).toEqual([]);
  expect(await replyTo(await clientOf(proxy))).toBe('one');
});
