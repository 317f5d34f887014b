/** The lines of docs/testing/external.md, for adapters in JavaScript. */
import { connect } from 'node:net';
import { createInterface } from 'node:readline';

function say(line) {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

/** A connection to the resource: each line is a request, and its reply. */
function openResource(address) {
  const [host, port] = address.split(':');
  const socket = connect(Number(port), host).setNoDelay();
  const pending = new Map();
  let requests = 0;
  createInterface({ input: socket }).on('line', (line) => {
    const { id, reading } = JSON.parse(line);
    pending.get(id)(reading);
    pending.delete(id);
  });
  return (request) =>
    new Promise((resolve) => {
      const id = ++requests;
      pending.set(id, resolve);
      socket.write(`${JSON.stringify({ id, ...request })}\n`);
    });
}

/** `open(greeting)` returns the name, the options in words, and locks with acquire, holds and release. */
export function serve(open) {
  const readings = new Map();
  let bench;
  const acts = {
    acquire: async ({ key, waitMs }) => ({ ok: await bench.locks.acquire(key, waitMs) }),
    check: async ({ key }) => ({ ok: await bench.locks.holds(key) }),
    read: async ({ key, hold }) => {
      const { client } = bench.greeting;
      readings.set(key, await bench.ask({ kind: 'read', key, client, hold }));
      return { ok: true };
    },
    write: async ({ key, hold, check }) => {
      if (check && !(await bench.locks.holds(key))) return { ok: false, reason: 'lost' };
      const { client } = bench.greeting;
      const plain = readings.get(key).plain + 1;
      await bench.ask({ kind: 'write', key, client, hold, plain, fenced: null });
      return { ok: true };
    },
    release: async ({ key }) => ({ ok: await bench.locks.release(key) }),
    clock: async () => ({ ok: true, wallMs: Date.now() }),
  };
  const answer = async ({ id, ...request }) => {
    try {
      say({ id, ...(await acts[request.do](request)) });
    } catch (failure) {
      console.error(failure);
      say({ id, ok: false, unknown: true, reason: failure.name });
    }
  };
  const greet = async (greeting) => {
    const { name, options, locks } = await open(greeting);
    bench = { greeting, locks, ask: openResource(greeting.resource) };
    say({ ready: 1, name, options });
  };
  createInterface({ input: process.stdin })
    .on('line', (line) => void (bench === undefined ? greet : answer)(JSON.parse(line)))
    .on('close', () => process.exit());
}
