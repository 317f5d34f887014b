import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { Proxy } from '../../src/processes/proxy/proxy.ts';

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

/** A server that answers every chunk by its name. */
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

async function answerTo(socket: Socket): Promise<string> {
  const answer = once(socket, 'data');
  socket.write('?');
  const [bytes] = await answer;
  return String(bytes);
}

test('what a cut holds arrives when it is healed', async () => {
  const proxy = await proxyTo(await named('one'));
  const socket = await clientOf(proxy);
  await answerTo(socket);
  const heard: string[] = [];
  socket.on('data', (bytes) => heard.push(String(bytes)));

  proxy.cut('both');
  socket.write('?');
  // Another way there and back takes as long.
  await answerTo(await clientOf(await proxyTo(await named('other'))));
  expect(heard).toEqual([]);
  const answered = once(socket, 'data');
  proxy.heal();
  await answered;

  expect(heard).toEqual(['one']);
});

test('connections whose bytes were held are reset where the cut is not to be made good', async () => {
  const proxy = await proxyTo(await named('one'));
  const socket = await clientOf(proxy);
  await answerTo(socket);
  proxy.cut('down');
  socket.write('?');
  await answerTo(await clientOf(await proxyTo(await named('other'))));

  const closed = new Promise((done) => socket.once('close', done));
  proxy.heal({ drop: true });
  await closed;

  expect(socket.destroyed).toBe(true);
});

test('a way that moves resets who is on it, and leads elsewhere from then on', async () => {
  const proxy = await proxyTo(await named('one'));
  const socket = await clientOf(proxy);
  expect(await answerTo(socket)).toBe('one');

  const closed = new Promise((done) => socket.once('close', done));
  proxy.retarget(await named('two'));
  await closed;

  expect(await answerTo(await clientOf(proxy))).toBe('two');
});

test('what goes silent are the connections that have subscribed, and others are answered', async () => {
  const proxy = await proxyTo(await named('one'));
  const [plain, subscriber] = [await clientOf(proxy), await clientOf(proxy)];
  const told = once(subscriber, 'data');
  subscriber.write('*2\r\n$10\r\nSSUBSCRIBE\r\n$1\r\nc\r\n');
  await told;
  const heard: string[] = [];
  subscriber.on('data', (bytes) => heard.push(String(bytes)));

  proxy.cut('down', 'subscribed');
  subscriber.write('?');

  expect(await answerTo(plain)).toBe('one');
  expect(await answerTo(await clientOf(proxy))).toBe('one');
  expect(heard).toEqual([]);
});

test('connections that come after those that stand were cut are answered', async () => {
  const proxy = await proxyTo(await named('one'));
  const status = await clientOf(proxy);
  await answerTo(status);
  const heard: string[] = [];
  status.on('data', (bytes) => heard.push(String(bytes)));

  proxy.cut('both', 'open');
  status.write('?');

  expect(await answerTo(await clientOf(proxy))).toBe('one');
  expect(heard).toEqual([]);
});

test('a reply that is to be lost never arrives, and its connection is reset; the next is answered', async () => {
  const proxy = await proxyTo(await named('one'));
  const socket = await clientOf(proxy);
  await answerTo(socket);
  const heard: string[] = [];
  socket.on('data', (bytes) => heard.push(String(bytes)));

  proxy.loseReplies();
  const closed = new Promise((done) => socket.once('close', done));
  socket.write('?');
  await closed;

  expect(heard).toEqual([]);
  expect(await answerTo(await clientOf(proxy))).toBe('one');
});
