import { describe, expect, test } from 'vitest';
import { expectationOf } from '../src/compare/expectation.ts';
import {
  failedComparedCell,
  inapplicableCell,
  judgeComparedCell,
  reportVerdict,
} from '../src/compare/judge-compared-cell.ts';
import type { Cell, ComparedRun, Evidence } from '../src/compare/report.ts';

const locked: Evidence = {
  trials: 10,
  effective: 10,
  asked: 100,
  sent: 100,
  validityViolated: 0,
  beliefViolated: 0,
  unfencedViolated: 0,
  fencedViolated: 0,
  stuck: 0,
  unfenced: null,
  fenced: null,
};
const control: Evidence = {
  ...locked,
  validityViolated: null,
  beliefViolated: null,
  unfencedViolated: 9,
  fencedViolated: null,
};
const place = { how: 'simulated', fault: 'none', column: 'memory' } as const;

function judged(evidence: Partial<Evidence>): Cell {
  return judgeComparedCell(place, { ...locked, ...evidence });
}

test('a lock that loses nothing holds', () => {
  expect(judged({})).toMatchObject({ outcome: 'holds', fenced: 'holds', unexpected: false });
});

test('two valid leases at once break a lock, whatever else happened', () => {
  expect(judged({ validityViolated: 1, beliefViolated: 1 })).toMatchObject({
    outcome: 'breaks',
    unexpected: true,
  });
});

test('a holder that believes too long is late', () => {
  const late = { ...locked, beliefViolated: 2, unfencedViolated: 2 };

  expect(judgeComparedCell({ ...place, fault: 'pause' }, late)).toMatchObject({
    outcome: 'late',
    unexpected: false,
  });
  expect(judgeComparedCell(place, late)).toMatchObject({ outcome: 'late', unexpected: true });
});

test('a lost update that no late holder explains breaks a lock', () => {
  expect(judged({ unfencedViolated: 1 })).toMatchObject({
    outcome: 'breaks',
  });
});

test('a fence that lets an update be lost is unexpected', () => {
  expect(judged({ fencedViolated: 1 })).toMatchObject({
    outcome: 'holds',
    fenced: 'breaks',
    unexpected: true,
  });
});

describe('what a lock keeps in every row', () => {
  const alwaysBroken = 'ownership: b released the hold of a';
  const bounds = { accepted: 0.5, stuck: 0, alwaysBroken };

  test('is the reason where it alone was not kept', () => {
    expect(judgeComparedCell(place, locked, bounds)).toMatchObject({
      outcome: 'holds',
      unexpected: true,
      reason: alwaysBroken,
    });
  });

  test('hides no lock that let two in', () => {
    const cell = judgeComparedCell(place, { ...locked, validityViolated: 1 }, bounds);

    expect(cell).toMatchObject({ outcome: 'breaks', unexpected: true });
    expect(cell.reason).toBeUndefined();
  });

  test('comes behind why a cell proves nothing', () => {
    const { outcome, reason } = judgeComparedCell(place, { ...locked, effective: 1 }, bounds);

    expect(outcome).toBe('nothing');
    expect(reason).toBe(`the fault took effect in only 1 of 10 trials; ${alwaysBroken}`);
  });
});

test.for<[string, Partial<Evidence>, string]>([
  ['a fault that hardly ever took effect', { effective: 1 }, 'took effect in only 1 of 10 trials'],
  ['no trial', { trials: 0, effective: 0 }, 'took effect in only 0 of 0 trials'],
  [
    'a resource that was hardly ever written to',
    { sent: 49 },
    'only 49 of 100 updates were accepted',
  ],
  [
    'a client that waits forever',
    { stuck: 1, example: 'a never got its turn' },
    '1 of 10 trials did not end: a never got its turn',
  ],
  ['a history that cannot be judged', { flaw: 'time runs backwards' }, 'time runs backwards'],
])('%s proves nothing, and that is unexpected', ([, evidence, reason]) => {
  const cell = judged(evidence);

  expect(cell).toMatchObject({ outcome: 'nothing', unexpected: true });
  expect(cell.reason).toContain(reason);
});

test('a control that loses nothing proves nothing, and so does the whole run', () => {
  const lossless = { ...control, unfencedViolated: 0 };
  const good = judgeComparedCell({ ...place, column: 'no-lock' }, control);
  const bad = judgeComparedCell({ ...place, column: 'no-lock' }, lossless);

  expect(good).toMatchObject({ outcome: 'breaks', fenced: 'n/a', unexpected: false });
  expect(bad).toMatchObject({ outcome: 'nothing', unexpected: true });
  expect(reportVerdict([run([good, judged({})])])).toBe('as-expected');
  expect(reportVerdict([run([good, judged({ validityViolated: 1 })])])).toBe('unexpected');
  expect(reportVerdict([run([bad, judged({ validityViolated: 1 })])])).toBe('proved-nothing');
});

test('without an expectation a lock may be late, but neither break nor prove nothing', () => {
  const somebody = { ...place, column: 'consul' };

  expect(judgeComparedCell(somebody, { ...locked, beliefViolated: 1 })).toMatchObject({
    outcome: 'late',
    expected: null,
    unexpected: false,
  });
  expect(judgeComparedCell(somebody, { ...locked, validityViolated: 1 }).unexpected).toBe(true);
  expect(judgeComparedCell(somebody, { ...locked, effective: 0 }).unexpected).toBe(true);
});

test('what cannot matter is not tried and says why', () => {
  const cell = inapplicableCell({ how: 'measured', fault: 'holder-crash', column: 'memory' });

  expect(cell).toMatchObject({ outcome: 'n/a', evidence: null, unexpected: false });
  expect(cell?.reason).toContain('its locks die with its one process');
  expect(inapplicableCell({ ...place, fault: 'holder-crash' })).toBeUndefined();
});

test('a cell that could not be played is unexpected and says why', () => {
  expect(failedComparedCell(place, 'p1 ended')).toMatchObject({
    outcome: 'nothing',
    unexpected: true,
    reason: 'p1 ended',
  });
});

test('what gets less done by its nature may declare so', () => {
  const evidence = { ...locked, sent: 30 };

  expect(judgeComparedCell(place, evidence).outcome).toBe('nothing');
  expect(judgeComparedCell(place, evidence, { accepted: 0.3, stuck: 0 }).outcome).toBe('holds');
});

test('what cannot come to its end by the nature of the fault may declare so, up to a share', () => {
  const some = { ...locked, stuck: locked.trials / 4 };
  const outcomeWith = (stuck: number): string =>
    judgeComparedCell(place, some, { accepted: 0.5, stuck }).outcome;

  expect(outcomeWith(0)).toBe('nothing');
  expect(outcomeWith(0.2)).toBe('nothing');
  expect(outcomeWith(0.3)).toBe('holds');
});

test('what is expected comes from the matrix, row by row, and a backend over several clients is one lock', () => {
  const failover = { how: 'simulated', fault: 'failover', column: 'redis-simple' } as const;

  expect(expectationOf({ ...failover, variant: 'clocks level' })).toMatchObject({
    outcome: 'breaks',
    fenced: 'holds',
  });
  expect(expectationOf({ ...failover, variant: 'clock behind' })).toMatchObject({
    outcome: 'breaks',
    fenced: 'breaks',
  });
  expect(
    expectationOf({ how: 'measured', fault: 'pause', column: 'redis-simple/ioredis' }),
  ).toMatchObject({ outcome: 'late', fenced: 'holds' });
});

function run(safety: readonly Cell[]): ComparedRun {
  return {
    servers: 'embedded',
    how: 'simulated',
    by: 'a test',
    settings: {},
    rows: [{ fault: 'none' }],
    columns: [],
    safety,
    cost: [],
    tookMs: 0,
  };
}
