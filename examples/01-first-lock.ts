// Ten buyers, ten items in stock. Reading the stock, thinking, and writing it back takes a moment, in which another
// buyer reads the same number. A lock admits one buyer at a time.
//
// Run it: npm run example 01            the locks live in this process
//         npm run example 01 redis://localhost

import { setTimeout as think } from 'node:timers/promises';
import { openLocks } from 'holdfast';

let stock = 10;

async function buy(): Promise<void> {
  const seen = stock;
  await think(5);
  stock = seen - 1;
}

async function sale(title: string, buyOne: () => Promise<void>): Promise<void> {
  stock = 10;
  await Promise.all(Array.from({ length: 10 }, buyOne));
  console.log(`${title}: 10 items sold, ${stock} still in stock`);
}

const locks = await openLocks(process.argv[2] ?? 'memory:');

await sale('without a lock', buy);
// `use` waits for the key, runs the function, and releases the key, even if the function throws.
await sale('with a lock', () => locks.use('stock/42', buy));

await locks.close();
