// The same code on whichever backend its configuration names: one process, one Redis, five of them, or a ZooKeeper
// ensemble. What the code relies on it says by `require`; a backend that does not give it is refused before anything
// connects. So a swap can cost speed or availability, but never silently a promise.
//
// Run it: npm run example 07       or: … redis://localhost       or: … zk://localhost:2181?sessionTimeout=4000

import { setTimeout as think } from 'node:timers/promises';
import { CapabilityError, openLocks } from 'holdfast';

const locks = await openLocks(process.argv[2] ?? 'memory:', { require: ['fencing'] });
/** Stands for a database, which keeps the token of each sale. */
const sales: { readonly seat: number; readonly token: bigint }[] = [];

async function buy(seat: number): Promise<void> {
  await locks.use(`seats/${seat}`, async ({ fencingToken }) => {
    const isFree = !sales.some((sale) => sale.seat === seat);
    await think(5);
    if (isFree) sales.push({ seat, token: fencingToken });
  });
}

await Promise.all([buy(12), buy(12), buy(12)]);
console.log(`three buyers want seat 12, sold ${sales.length} time`);

// Whoever holds a key later has a larger token, in whatever process: the database can refuse the late write of another.
const sold = sales[0]?.token ?? 0n;
await locks.use('seats/12', ({ fencingToken }) => {
  console.log(`the next holder’s token is larger: ${fencingToken > sold}`);
});
await locks.close();

// Redlock has no tokens, and a ZooKeeper session has one timeout for all that it holds. Nobody is at these addresses.
const swaps = [
  { url: 'redlock://a,b,c', require: ['fencing'] },
  { url: 'zk://a,b,c', require: ['per-call-ttl'] },
] as const;
for (const { url, require } of swaps) {
  const refusal: unknown = await openLocks(url, { require }).catch((error: unknown) => error);
  if (refusal instanceof CapabilityError) console.log(`refused: ${refusal.message}`);
}
