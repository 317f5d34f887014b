import type { Purchase, Strategy } from './shop.ts';
import { catalogue, catalogueBare, counters, PRICES } from './strategies-shared.ts';

/** Retries after a conflict; the usual advice is at least three. */
const RETRIES = 3;
const STRIPES = 8;
/** The product that is bought together with every other, if two are bought. */
const SECOND = 'gift';

/** Read, work, write: the critical section that every lock protects. */
const readThenWrite: Strategy = async (purchase) => {
  const { stock, request } = purchase;
  const left = await stock.read(request.product);
  if (left <= 0) return purchase.refused();
  await purchase.work();
  await stock.write(request.product, left - 1);
  return purchase.sold(left);
};

const checkThenDecrement: Strategy = async (purchase) => {
  const { stock, request } = purchase;
  if ((await stock.read(request.product)) <= 0) return purchase.refused();
  await purchase.work();
  return purchase.sold((await stock.decrement(request.product)) + 1);
};

const locked: Strategy = (purchase) =>
  purchase.locked(lockOf(purchase), async (lease) => {
    const { stock, request } = purchase;
    const left = await stock.read(request.product);
    if (left <= 0) return purchase.refused();
    await purchase.work();
    // As the documentation of a lock tells its users to. None of the exhibits ever throws here.
    lease.assertHeld();
    await stock.write(request.product, left - 1);
    return purchase.sold(left);
  });

const fenced: Strategy = (purchase) =>
  purchase.locked(lockOf(purchase), async (lease) => {
    const { stock, request } = purchase;
    const token = lease.fencingToken ?? 0n;
    const left = await stock.readFenced(request.product, token);
    if (left === undefined) return purchase.failed('FENCED');
    if (left <= 0) return purchase.refused();
    await purchase.work();
    lease.assertHeld();
    if (!(await stock.writeFenced(request.product, token, left - 1)))
      return purchase.failed('FENCED');
    return purchase.sold(left);
  });

/** From a published recipe: DECR has taken one already, and the write takes another. */
const writeBack: Strategy = (purchase) =>
  purchase.locked(lockOf(purchase), async () => {
    const { stock, request } = purchase;
    const left = await stock.decrement(request.product);
    if (left < 0) return purchase.refused();
    await purchase.work();
    await stock.write(request.product, left - 1);
    return purchase.sold(left + 1);
  });

const decrement: Strategy = async (purchase) => {
  const left = await purchase.stock.decrement(purchase.request.product);
  if (left < 0) return purchase.refused();
  await purchase.work();
  return purchase.sold(left + 1);
};

const optimistic: Strategy = async (purchase) => {
  const { stock, request } = purchase;
  for (let tries = 0; tries <= RETRIES; tries++) {
    const left = await stock.read(request.product);
    if (left <= 0) return purchase.refused();
    await purchase.work();
    if (await stock.compareAndSet(request.product, left, left - 1))
      return { ...purchase.sold(left), tries: tries + 1 };
  }
  return { ...purchase.failed('CONFLICT'), tries: RETRIES + 1 };
};

/** Each stripe has a part of the stock and its own lock. A request that finds one empty tries the next. */
const striped: Strategy = async (purchase) => {
  const { stock, request } = purchase;
  for (let i = 0; i < STRIPES; i++) {
    const stripe = stripeOf(request.product, (request.n + i) % STRIPES);
    // Read without the lock, but a stock that only falls sections empty.
    if ((await stock.read(stripe)) <= 0) continue;
    const result = await purchase.locked(`stock/${stripe}`, async (lease) => {
      const left = await stock.read(stripe);
      if (left <= 0) return purchase.refused();
      await purchase.work();
      lease.assertHeld();
      await stock.write(stripe, left - 1);
      return purchase.sold(`${stripe} ${left}`);
    });
    if (result.outcome !== 'refused') return result;
  }
  return purchase.refused();
};

const opposite: Strategy = (purchase) => {
  const both = [purchase.request.product, SECOND];
  return bought(purchase, purchase.request.n % 2 === 0 ? both : both.toReversed());
};

const ordered: Strategy = (purchase) =>
  bought(purchase, [purchase.request.product, SECOND].toSorted());

function bought(
  purchase: Purchase,
  [first = '', second = '']: readonly string[],
): ReturnType<Strategy> {
  const { stock, request } = purchase;
  return purchase.locked(`stock/${first}`, (outer) =>
    purchase.locked(`stock/${second}`, async (inner) => {
      const [left, right] = [await stock.read(request.product), await stock.read(SECOND)];
      if (left <= 0 || right <= 0) return purchase.refused();
      await purchase.work();
      outer.assertHeld();
      inner.assertHeld();
      await stock.write(request.product, left - 1);
      await stock.write(SECOND, right - 1);
      return purchase.sold(left);
    }),
  );
}

function lockOf({ request }: Purchase): string {
  return `stock/${request.product}`;
}

function stripeOf(product: string, stripe: number): string {
  return `${product}/${stripe}`;
}

export type StrategyName =
  | 'read-then-write'
  | 'check-then-decrement'
  | 'locked'
  | 'fenced'
  | 'write-back'
  | 'decrement'
  | 'optimistic'
  | 'striped'
  | 'opposite'
  | 'ordered'
  | 'counters'
  | 'catalogue-bare'
  | 'catalogue';

/** Every strategy of selling, by name. */
export const STRATEGIES: Readonly<Record<StrategyName, Strategy>> = {
  'read-then-write': readThenWrite,
  'check-then-decrement': checkThenDecrement,
  locked,
  fenced,
  'write-back': writeBack,
  decrement,
  optimistic,
  striped,
  opposite,
  ordered,
  counters,
  'catalogue-bare': catalogueBare,
  catalogue,
};

/** The stock before the sale: the products of a strategy, or their stripes, with their numbers. */
export function initialStock(
  strategy: StrategyName,
  products: readonly string[],
  stock: number,
): ReadonlyMap<string, number> {
  const per = parts(stock, products.length);
  const stockByProduct = products.map((product, i) => [product, per[i] ?? 0] as const);
  if (strategy === 'striped')
    return new Map(
      stockByProduct.flatMap(([product, many]) =>
        parts(many, STRIPES).map((part, stripe) => [stripeOf(product, stripe), part] as const),
      ),
    );
  const isTwo = strategy === 'opposite' || strategy === 'ordered';
  const isCatalogue = strategy === 'catalogue' || strategy === 'catalogue-bare';
  return new Map([
    ...stockByProduct,
    ...(isTwo ? [[SECOND, stock] as const] : []),
    ...(isCatalogue ? PRICES : []),
  ]);
}

/** Splits a number into parts that are as even as possible. */
function parts(many: number, of: number): readonly number[] {
  return Array.from({ length: of }, (_, i) => Math.floor((many + of - 1 - i) / of));
}
