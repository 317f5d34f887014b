// One program on the backend that its configuration names: one process, one Redis, five of them, or a ZooKeeper
// ensemble. The code lists its requirements in `require`; a backend that does not meet them is rejected before anything
// connects. So a swap can cost speed or availability, but never silently a promise.
//
// Run it: npm run example 07       or: … redis://localhost       or: … zk://localhost:2181?sessionTimeout=4000

import { setTimeout as think } from 'node:timers/promises';
import { CapabilityError, openLocks } from 'holdfast';

const locks = await openLocks(process.argv[2] ?? 'memory:', { require: ['fencing'] });
/** Simulates a database, which stores the token of each sale. */
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

// A later holder has a larger token, in any process, so the database can reject the late write of an earlier one.
const sold = sales[0]?.token ?? 0n;
await locks.use('seats/12', ({ fencingToken }) => {
  console.log(`the next holder’s token is larger: ${fencingToken > sold}`);
});
await locks.close();

// Redlock has no tokens, and a ZooKeeper session has one timeout for all its leases. These addresses do not exist.
const swaps = [
  { url: 'redlock://a,b,c', require: ['fencing'] },
  { url: 'zk://a,b,c', require: ['per-call-ttl'] },
] as const;
for (const { url, require } of swaps) {
  const refusal: unknown = await openLocks(url, { require }).catch((error: unknown) => error);
  if (refusal instanceof CapabilityError) console.log(`refused: ${refusal.message}`);
}
