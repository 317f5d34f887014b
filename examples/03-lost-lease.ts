// A lease can be lost while you hold it: the store restarts empty, the network splits, an operator frees the key.
// `lease.signal` reports it. Pass the signal to all calls that you await, so that the work stops with the lock.
//
// Run it: npm run example 03            or: npm run example 03 redis://localhost

import { setTimeout as work } from 'node:timers/promises';
import { LockLostError, openLocks } from 'holdfast';

const locks = await openLocks(process.argv[2] ?? 'memory:');
locks.on('lost', ({ key }) => console.log(`event: ${key} was lost`));

async function reindex(signal: AbortSignal): Promise<void> {
  // An operator frees the key. The holder learns of it at its next renewal, after a third of the ttl at most.
  console.log('working');
  await locks.forceRelease('search-index');
  // Five minutes of work, which the signal stops.
  await work(300_000, undefined, { signal });
  console.log('never printed');
}

try {
  await locks.use('search-index', (lease) => reindex(lease.signal), { ttlMs: 600 });
} catch (error) {
  // `use` never hides the error of its body: here the timer's AbortError, caused by the loss.
  const cause = error instanceof Error ? error.cause : undefined;
  console.log(`stopped: ${cause instanceof LockLostError ? cause.code : String(error)}`);
}

await locks.close();
