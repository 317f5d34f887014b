/** A lock of three lines of Redis, which excludes, grants to all, or dies at its second acquisition. */
import { connect } from 'node:net';
import { createInterface } from 'node:readline';

const [how] = process.argv.slice(2);
const own = `${process.pid}`;
let greeting;

/** Sends a request on a connection of its own, and resolves to the first line of the reply. */
function ask(address, text) {
  const [host, port] = address.split(':');
  return new Promise((resolve) => {
    const socket = connect(Number(port), host, () => socket.write(`${text}\n`));
    socket.on('error', () => resolve(''));
    createInterface({ input: socket }).once('line', (line) => {
      socket.destroy();
      resolve(line);
    });
  });
}

async function acquire({ key, waitMs }) {
  if (how === 'dies' && key.endsWith('/1')) {
    console.error('out of locks');
    process.exit(5);
  }
  if (how === 'grants-to-all') return true;
  for (const until = Date.now() + waitMs; Date.now() < until; ) {
    const set = await ask(greeting.servers[0], `SET ${key} ${own} NX PX ${greeting.ttlMs}\r`);
    if (set.startsWith('+OK')) return true;
    await new Promise((done) => setTimeout(done, 20));
  }
  return false;
}

let value = 0;
const acts = {
  acquire,
  check: async () => true,
  read: async ({ key, hold }) => {
    const line = { id: 1, kind: 'read', key, hold, client: greeting.client };
    value = JSON.parse(await ask(greeting.resource, JSON.stringify(line))).reading.plain;
    return true;
  },
  write: async ({ key, hold }) => {
    const what = { plain: value + 1, fenced: null };
    const line = { id: 2, kind: 'write', key, hold, client: greeting.client, ...what };
    await ask(greeting.resource, JSON.stringify(line));
    return true;
  },
  release: async ({ key }) => (await ask(greeting.servers[0], `DEL ${key}\r`)) !== '',
};

async function take(request) {
  if (greeting === undefined) {
    greeting = request;
    say({ ready: 1, name: 'a lock of the tests', options: how });
  } else say({ id: request.id, ok: await acts[request.do](request) });
}

const say = (line) => process.stdout.write(`${JSON.stringify(line)}\n`);
createInterface({ input: process.stdin })
  .on('line', (line) => void take(JSON.parse(line)))
  .on('close', () => process.exit());
