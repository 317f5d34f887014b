import type { Purchase, Strategy } from './shop.ts';

/** How often somebody tries again who found that somebody else was faster; at least this often is the usual advice. */
const RETRIES = 3;
const STRIPES = 8;
/** What is bought together with every product, where two are bought. */
const SECOND = 'gift';

/** Read, work, write: what every lock below is there to protect. */
const readThenWrite: Strategy = async (visit) => {
  const { stock, request } = visit;
  const left = await stock.read(request.product);
  if (left <= 0) return visit.refused();
  await visit.work();
  await stock.write(request.product, left - 1);
  return visit.sold(left);
};

const checkThenDecrement: Strategy = async (visit) => {
  const { stock, request } = visit;
  if ((await stock.read(request.product)) <= 0) return visit.refused();
  await visit.work();
  return visit.sold((await stock.decrement(request.product)) + 1);
};

const locked: Strategy = (visit) =>
  visit.locked(lockOf(visit), async (lease) => {
    const { stock, request } = visit;
    const left = await stock.read(request.product);
    if (left <= 0) return visit.refused();
    await visit.work();
    // As everybody is told to. Of the exhibits none ever says no.
    lease.assertHeld();
    await stock.write(request.product, left - 1);
    return visit.sold(left);
  });

const fenced: Strategy = (visit) =>
  visit.locked(lockOf(visit), async (lease) => {
    const { stock, request } = visit;
    const token = lease.fencingToken ?? 0n;
    const left = await stock.readFenced(request.product, token);
    if (left === undefined) return visit.failed('FENCED');
    if (left <= 0) return visit.refused();
    await visit.work();
    lease.assertHeld();
    if (!(await stock.writeFenced(request.product, token, left - 1))) return visit.failed('FENCED');
    return visit.sold(left);
  });

/** From a published listing: DECR has taken one already, and the write takes another. */
const writeBack: Strategy = (visit) =>
  visit.locked(lockOf(visit), async () => {
    const { stock, request } = visit;
    const left = await stock.decrement(request.product);
    if (left < 0) return visit.refused();
    await visit.work();
    await stock.write(request.product, left - 1);
    return visit.sold(left + 1);
  });

const decrement: Strategy = async (visit) => {
  const left = await visit.stock.decrement(visit.request.product);
  if (left < 0) return visit.refused();
  await visit.work();
  return visit.sold(left + 1);
};

const optimistic: Strategy = async (visit) => {
  const { stock, request } = visit;
  for (let tries = 0; tries <= RETRIES; tries++) {
    const left = await stock.read(request.product);
    if (left <= 0) return visit.refused();
    await visit.work();
    if (await stock.compareAndSet(request.product, left, left - 1))
      return { ...visit.sold(left), tries: tries + 1 };
  }
  return { ...visit.failed('CONFLICT'), tries: RETRIES + 1 };
};

/** Each stripe has a part of the stock and a lock of its own; whoever finds one empty goes on to the next. */
const striped: Strategy = async (visit) => {
  const { stock, request } = visit;
  for (let i = 0; i < STRIPES; i++) {
    const stripe = stripeOf(request.product, (request.n + i) % STRIPES);
    // Seen without the lock, but a stock that only falls stays empty.
    if ((await stock.read(stripe)) <= 0) continue;
    const answer = await visit.locked(`stock/${stripe}`, async (lease) => {
      const left = await stock.read(stripe);
      if (left <= 0) return visit.refused();
      await visit.work();
      lease.assertHeld();
      await stock.write(stripe, left - 1);
      return visit.sold(`${stripe} ${left}`);
    });
    if (answer.outcome !== 'refused') return answer;
  }
  return visit.refused();
};

const opposite: Strategy = (visit) => {
  const both = [visit.request.product, SECOND];
  return bought(visit, visit.request.n % 2 === 0 ? both : both.toReversed());
};

const ordered: Strategy = (visit) => bought(visit, [visit.request.product, SECOND].toSorted());

function bought(
  visit: Purchase,
  [first = '', second = '']: readonly string[],
): ReturnType<Strategy> {
  const { stock, request } = visit;
  return visit.locked(`stock/${first}`, (outer) =>
    visit.locked(`stock/${second}`, async (inner) => {
      const [left, right] = [await stock.read(request.product), await stock.read(SECOND)];
      if (left <= 0 || right <= 0) return visit.refused();
      await visit.work();
      outer.assertHeld();
      inner.assertHeld();
      await stock.write(request.product, left - 1);
      await stock.write(SECOND, right - 1);
      return visit.sold(left);
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
  | 'ordered';

/** Every way of selling, by name. */
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
};

/** What stands in the shop before the sale, for `deal`: products and parts of them, with how many there are. */
export function initialStock(
  deal: StrategyName,
  products: readonly string[],
  stock: number,
): ReadonlyMap<string, number> {
  const per = parts(stock, products.length);
  const shelves = products.map((product, i) => [product, per[i] ?? 0] as const);
  if (deal === 'striped')
    return new Map(
      shelves.flatMap(([product, many]) =>
        parts(many, STRIPES).map((part, stripe) => [stripeOf(product, stripe), part] as const),
      ),
    );
  const isTwo = deal === 'opposite' || deal === 'ordered';
  return new Map([...shelves, ...(isTwo ? [[SECOND, stock] as const] : [])]);
}

/** As even as it goes. */
function parts(many: number, of: number): readonly number[] {
  return Array.from({ length: of }, (_, i) => Math.floor((many + of - 1 - i) / of));
}
