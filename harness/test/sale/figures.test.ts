import { expect, test } from 'vitest';
import { figuresOf } from '../../src/sale/figures.ts';
import type { ServedRequest } from '../../src/sale/load-generator.ts';
import { isAsExpected } from '../../src/sale/report.ts';
import type { CriticalSection, PurchaseResult } from '../../src/sale/shop.ts';
import type { SaleFault } from '../../src/sale/step.ts';

const SHOP = { stock: 2, requests: 4 };

function served(result: Partial<PurchaseResult>, fromMs = 0, untilMs = 10): ServedRequest {
  return { result: { outcome: 'sold', sections: [], ...result }, fromMs, untilMs };
}

function section(
  fromMs: number,
  untilMs: number,
  more: Partial<CriticalSection> = {},
): CriticalSection {
  return { key: 'k', fromMs, untilMs, released: 'released', ...more };
}

test('what is sold beyond the stock is oversold, and an item sold twice is counted once too often', () => {
  const figures = figuresOf(
    [served({ item: '2' }), served({ item: '2' }), served({ item: '1' })],
    SHOP,
  );

  expect(figures).toMatchObject({ sold: 3, oversold: 1, undersold: 0, duplicates: 1 });
});

test('what is left although it was asked for is undersold', () => {
  const figures = figuresOf([served({ item: '2' }), served({ outcome: 'refused' })], SHOP);

  expect(figures).toMatchObject({ sold: 1, undersold: 1, refused: 1 });
  expect(figuresOf([served({ item: '2' })], { ...SHOP, requests: 1 }).undersold).toBe(0);
});

test('a release that removed a key after somebody else had got the lock stole theirs', () => {
  const late = served({ sections: [section(0, 100)] });
  const robbed = served({ sections: [section(60, 120)] });

  expect(figuresOf([late, robbed], SHOP)).toMatchObject({ stolen: 1, together: 1 });
});

test('a release that removed nothing stole nothing, nor one before the next holder came', () => {
  const late = served({ sections: [section(0, 100, { released: 'not-held' })] });
  const next = served({ sections: [section(60, 120)] });
  const inTurn = [served({ sections: [section(0, 50)] }), served({ sections: [section(51, 60)] })];

  expect(figuresOf([late, next], SHOP).stolen).toBe(0);
  expect(figuresOf(inTurn, SHOP)).toMatchObject({ stolen: 0, together: 0 });
});

test('a release that was overtaken on its way stole what it removed, if it removed anything', () => {
  const late = served({ sections: [section(0, 10, { overtaken: true })] });
  const vain = served({ sections: [section(0, 10, { overtaken: true, released: 'not-held' })] });

  expect(figuresOf([late], SHOP).stolen).toBe(1);
  expect(figuresOf([vain], SHOP).stolen).toBe(0);
});

test('another key is nobody’s concern', () => {
  const one = served({ sections: [section(0, 100)] });
  const other = served({ sections: [section(60, 120, { key: 'other' })] });

  expect(figuresOf([one, other], SHOP)).toMatchObject({ stolen: 0, together: 0 });
});

test('time counts from the first request to the last result that was given', () => {
  const figures = figuresOf(
    [served({ item: '2' }, 100, 300), served({ outcome: 'stuck' }, 100, 9_000)],
    SHOP,
  );

  expect(figures).toMatchObject({ seconds: 0.2, salesPerSecond: 5, p99Ms: 200, deadlocked: 1 });
});

test('tries that came to nothing are conflicts', () => {
  const figures = figuresOf(
    [served({ item: '2', tries: 2 }), served({ outcome: 'failed', reason: 'CONFLICT', tries: 4 })],
    SHOP,
  );

  expect(figures.conflictShare).toBeCloseTo(5 / 6);
  expect(figures.failures).toEqual({ CONFLICT: 1 });
});

test('a step is as expected when all of its flaws showed, and one without flaws when none did', () => {
  const clean = figuresOf([served({ item: '2' }), served({ item: '1' })], SHOP);
  const over = figuresOf(
    [served({ item: '1' }), served({ item: '1' }), served({ item: '1' })],
    SHOP,
  );

  const faults: readonly SaleFault[] = [];
  expect(isAsExpected({ shows: [], faults }, clean)).toBe(true);
  expect(isAsExpected({ shows: [], faults }, over)).toBe(false);
  expect(isAsExpected({ shows: ['oversold'], faults }, over)).toBe(true);
  expect(isAsExpected({ shows: ['oversold', 'stolen'], faults }, over)).toBe(false);
});

test('a lock that gets stuck before the process has died does not show what its death does', () => {
  const death: SaleFault = { kind: 'crash', at: 'lock', before: 'PEXPIRE', n: 30 };
  const step = { shows: ['deadlocked'], faults: [death] } as const;
  const stuck = served({ outcome: 'stuck' });

  expect(isAsExpected(step, figuresOf([stuck], SHOP))).toBe(false);
  expect(isAsExpected(step, figuresOf([stuck, served({ outcome: 'no-reply' })], SHOP))).toBe(true);
});
