// A deployment sends SIGTERM during work. A holder finishes, or stops where it can; then it releases its key, and
// another process acquires it. No key is taken from its holder: that would put two processes into the critical section.
//
// Run it: npm run example 08            or: npm run example 08 redis://localhost

import { once } from 'node:events';
import { createServer } from 'node:http';
import { setTimeout as work } from 'node:timers/promises';
import { openLocks } from 'holdfast';

const locks = await openLocks(process.argv[2] ?? 'memory:');

// An HTTP request finishes its work.
async function charge(): Promise<void> {
  console.log('request: charging');
  await work(300);
  console.log('request: charged');
}
const server = createServer((_request, response) => {
  void locks.use('carts/7', charge).then(() => response.end('charged'));
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');

function held(key: string): Promise<void> {
  return new Promise((go) => void locks.on('acquired', (event) => event.key === key && go()));
}

// A queue worker stops between two messages: its signal aborts when the locks close.
async function consume(signal: AbortSignal): Promise<void> {
  while (!signal.aborted) await work(20);
  console.log(`worker: stops (${signal.reason.code})`);
}
const consuming = held('queues/mail');
const worker = locks.use('queues/mail', ({ signal }) => consume(signal));

async function shutDown(): Promise<void> {
  console.log('SIGTERM');
  // Stops new requests, then gives holders ten seconds, less than the platform allows.
  const served = once(server, 'close');
  server.close();
  const { stillHeld } = await locks.close({ timeoutMs: 10_000 });
  await Promise.all([served, worker]);
  // A key listed here stays taken until its lease expires.
  console.log(`closed; still held: ${stillHeld.length}`);
}
process.once('SIGTERM', () => void shutDown());

// For the example: a client, and a platform that deploys a moment later.
const address = server.address();
const port = typeof address === 'object' ? address?.port : undefined;
await consuming;
const charging = held('carts/7');
const answer = fetch(`http://127.0.0.1:${port}`, { headers: { connection: 'close' } });
await charging;
process.kill(process.pid, 'SIGTERM');
await answer;
