import type { Lease, Locks } from '@holdfast/core';
import type { Purchase, PurchaseResult, Strategy } from './shop.ts';

/** The number of customers whose work goes on at once. */
const COUNTERS = 8;
/** Every so many requests the price changes. */
const REPRICE_EVERY = 25;

/** Below this, the pages that a customer looks at. */
const PAGES_MAX = 4;

const CATALOGUE = 'catalogue';
const NET = 'net';
const GROSS = 'gross';
const FIRST_NET = 100;
/** The gross price for a net price. */
const GROSS_PER_NET = 2;

/** What the catalogue says before the sale. */
export const PRICES: readonly (readonly [string, number])[] = [
  [NET, FIRST_NET],
  [GROSS, FIRST_NET * GROSS_PER_NET],
];

/** One stock, and a semaphore for the counters at which it is sold. */
export const counters: Strategy = (purchase) => {
  const { request, stock } = purchase;
  const enter = (locks: Locks): Promise<Lease<undefined>> =>
    locks.semaphore(`counters/${request.product}`, COUNTERS).acquire();
  return purchase.beside(`counters/${request.product}`, enter, async () => {
    const left = await stock.decrement(request.product);
    if (left < 0) return purchase.refused();
    await purchase.work();
    return purchase.sold(left + 1);
  });
};

/** Reads both prices, which belong together, and sells. Some requests change them before. */
export const catalogueBare: Strategy = async (purchase) => {
  await browse(purchase);
  if (isRepricing(purchase)) await reprice(purchase);
  return await buyAtPrice(purchase);
};

export const catalogue: Strategy = async (purchase) => {
  const write = (locks: Locks): Promise<Lease> => locks.write(CATALOGUE).acquire();
  const read = (locks: Locks): Promise<Lease> => locks.read(CATALOGUE).acquire();
  await browse(purchase);
  if (isRepricing(purchase)) await purchase.beside(CATALOGUE, write, () => reprice(purchase));
  return await purchase.beside(CATALOGUE, read, () => buyAtPrice(purchase));
};

/** Customers take their time, one more than another. */
async function browse(purchase: Purchase): Promise<void> {
  for (let pages = purchase.request.n % PAGES_MAX; pages > 0; pages--) await purchase.work();
}

function isRepricing({ request }: Purchase): boolean {
  return request.n % REPRICE_EVERY === 0;
}

async function reprice(purchase: Purchase): Promise<void> {
  const { stock } = purchase;
  const net = (await stock.read(NET)) + 1;
  await stock.write(NET, net);
  await purchase.work();
  await stock.write(GROSS, net * GROSS_PER_NET);
}

async function buyAtPrice(purchase: Purchase): Promise<PurchaseResult> {
  const { stock, request } = purchase;
  const net = await stock.read(NET);
  const gross = await stock.read(GROSS);
  if (gross !== net * GROSS_PER_NET) return purchase.failed(MISPRICED);
  const left = await stock.decrement(request.product);
  return left < 0 ? purchase.refused() : purchase.sold(left + 1);
}

/** The customer saw prices that never belonged together. */
export const MISPRICED = 'MISPRICED';
