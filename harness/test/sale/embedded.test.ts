import { beforeAll, describe, expect, test } from 'vitest';
import { CHARTS, runChart } from '../../src/sale/charts.ts';
import type { Figures } from '../../src/sale/figures.ts';
import { flawsOf, isAsExpected } from '../../src/sale/report.ts';
import type { SaleSettings } from '../../src/sale/sale.ts';
import { simulatedEnvironment } from '../../src/sale/simulated-environment.ts';
import { STEPS } from '../../src/sale/steps.ts';

const SETTINGS: SaleSettings = {
  stock: 300,
  requests: 1_000,
  users: 200,
  apps: 2,
  ttlMs: 500,
  workMs: 1,
  products: 1,
};

/** Everybody was answered in one way or another, or never got to ask. */
function answered({ sold, refused, failed, deadlocked }: Figures): number {
  return sold + refused + failed + deadlocked;
}

describe.each(STEPS)('$id', (step) => {
  let figures: Figures;
  beforeAll(async () => {
    figures = await simulatedEnvironment().run({ step, settings: SETTINGS });
  }, 60_000);

  test('comes to what its sentence says', () => {
    expect(isAsExpected(step, figures), JSON.stringify(figures)).toBe(true);
  });

  test('loses no request', () => {
    const all = figures.deadlocked === 0 ? SETTINGS.requests : answered(figures);
    expect(answered(figures)).toBe(all);
    expect(figures.sold + figures.undersold - figures.oversold).toBe(SETTINGS.stock);
  });
});

async function held(id: string): Promise<Figures> {
  const step = STEPS.find((each) => each.id === id);
  if (step === undefined) throw new Error(`unknown step ${id}`);
  return await simulatedEnvironment().run({ step, settings: SETTINGS });
}

test('is the same every time', async () => {
  expect(await held('set-nx-fixed')).toEqual(await held('set-nx-fixed'));
});

test('writing back what DECR has taken already sells exactly half', async () => {
  expect(await held('write-back')).toMatchObject({ sold: 150, undersold: 150 });
});

test('DECR alone overwrites nothing: it sells too much, but no item twice', async () => {
  const { oversold, duplicates } = await held('check-decr');

  expect({ isOversold: oversold > 0, duplicates }).toEqual({ isOversold: true, duplicates: 0 });
});

test('with the right release nobody’s lock is stolen, though it ends under the work', async () => {
  const { stolen, together } = await held('set-nx-lua');

  expect({ stolen, isTogether: together > 0 }).toEqual({ stolen: 0, isTogether: true });
});

test('under the same faults the fence refuses what the lock alone lets through', async () => {
  const bare = await held('redis-simple');
  const fenced = await held('redis-simple-fenced');

  expect(flawsOf(bare)).toContain('duplicates');
  expect(flawsOf(fenced)).toEqual([]);
  expect(fenced.failures['FENCED']).toBe(bare.duplicates);
});

test('a semaphore lets eight customers in at once, and the ninth waits', async () => {
  expect(await held('counters')).toMatchObject({ sold: 300, crowd: 8 });
});

test('readers of a catalogue hold beside each other, and see only prices that belong together', async () => {
  const { crowd, mispriced, failed } = await held('catalogue');

  expect({ isCrowd: crowd > 10, mispriced, failed }).toEqual({
    isCrowd: true,
    mispriced: 0,
    failed: 0,
  });
  expect((await held('catalogue-bare')).mispriced).toBeGreaterThan(10);
});

test('one lock sells the less the longer it is held; eight stripes sell more', async () => {
  const plan = CHARTS.find(({ id }) => id === 'inside');
  if (plan === undefined) throw new Error('there is no such chart');
  const short = { ...plan, values: [0, 5] };

  const { points } = await runChart(
    short,
    simulatedEnvironment(),
    { ...SETTINGS, requests: 200 },
    () => {},
  );

  const rates = points.map(({ figures }) => figures.map(({ salesPerSecond }) => salesPerSecond));
  expect(rates[0]?.[0]).toBeGreaterThan(rates[1]?.[0] ?? 0);
  for (const [lock = 0, stripes = 0] of rates) expect(stripes).toBeGreaterThan(4 * lock);
});

test('an optimistic version turns nobody away while conflicts are few, and nearly everybody on one product', async () => {
  const plan = CHARTS.find(({ id }) => id === 'conflicts');
  if (plan === undefined) throw new Error('there is no such chart');

  const { points } = await runChart(
    { ...plan, values: [1_000, 1] },
    simulatedEnvironment(),
    SETTINGS,
    () => {},
  );

  const [few, many] = points.map(({ figures: [optimistic] }) => optimistic);
  expect(few?.conflictShare).toBeLessThan(0.2);
  expect(few?.failed).toBe(0);
  expect(many?.failed).toBeGreaterThan(900);
});
