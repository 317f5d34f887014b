import { storyFromString } from '@holdfast/harness/simulator';
import { expect, test, vi } from 'vitest';
import { judgedCell } from '../src/compare/play-cell.ts';
import { SimulatorRunner } from '../src/compare/simulator-runner.ts';
import { columnNamed, subjectOf } from '../src/locks/index.ts';
import { loadMatrix, runCell } from '../src/matrix/index.ts';

/** Hundreds of schedules are played here: seconds, where other tests keep the machine busy. */
vi.setConfig({ testTimeout: 30_000 });
const BUDGET = 32;
const stage = new SimulatorRunner({ seed: 7, budget: BUDGET });
const memory = columnNamed('memory');
const noLock = columnNamed('no-lock');
const simple = columnNamed('redis-simple');
const redlock = columnNamed('redlock');

test('its rows and columns are those of the matrix, behind the control, where all are wanted', () => {
  const { rows, columns } = new SimulatorRunner({ seed: 7, budget: BUDGET, all: true }).head;

  expect(rows).toHaveLength(loadMatrix().rows.length);
  expect(columns.map(({ id }) => id)).toEqual(['no-lock', ...loadMatrix().columns]);
});

test('only the rows and columns that are asked for are played, and always the control', () => {
  const few = new SimulatorRunner({
    seed: 7,
    budget: BUDGET,
    faults: ['drift'],
    backends: ['redlock'],
  });

  expect(few.head.rows.map(({ variant }) => variant)).toEqual([
    'within the margin',
    'beyond the margin',
  ]);
  expect(few.head.columns.map(({ id }) => id)).toEqual(['no-lock', 'redlock']);
});

test('rows that say nothing of the locks asked for are left out, unless all are wanted', () => {
  const asked = { seed: 7, budget: BUDGET, backends: ['memory'] };
  const telling = new SimulatorRunner(asked).head;
  const all = new SimulatorRunner({ ...asked, all: true }).head;
  const only = new SimulatorRunner({ ...asked, faults: ['failover'] }).head;

  expect(telling.rows.map(({ fault }) => fault)).not.toContain('failover');
  expect(all.rows).toHaveLength(loadMatrix().rows.length);
  const left = all.rows.length - telling.rows.length;
  expect(telling.notes?.[0]).toMatch(
    new RegExp(`^${left} rows are omitted: .*--all shows them\\.$`),
  );
  expect(only.rows.map(({ fault }) => fault)).toEqual(['failover', 'failover', 'failover']);
});

test('redlock on three is left out with a word about it, unless all are wanted, it is named, or the budget is', () => {
  const asked = { seed: 7, budget: BUDGET };
  const columnsOf = (more: object): string[] =>
    new SimulatorRunner({ ...asked, ...more }).head.columns.map(({ id }) => id);

  expect(columnsOf({})).not.toContain('redlock-3');
  expect(new SimulatorRunner(asked).head.notes).toEqual([
    'redlock-3 is omitted, because it behaves like redlock; --all shows it.',
  ]);
  for (const more of [{ all: true }, { backends: ['redlock-3'] }, { exact: true }])
    expect(columnsOf(more)).toContain('redlock-3');
  expect(new SimulatorRunner({ ...asked, all: true }).head.notes).toBeUndefined();
});

test('with an exact budget no cell gets more, however little is settled', async () => {
  const exact = new SimulatorRunner({ seed: 3, budget: 1, exact: true });

  const cell = await exact.runCell({ fault: 'restart-empty' }, simple);

  expect(cell.evidence?.trials).toBe(1);
});

test('what breaks as it has to names its smallest stories', async () => {
  const cell = await stage.runCell({ fault: 'pause' }, simple);

  expect(cell.stories).toEqual(['simple-pause']);
});

test('what is not expected is made small, so that it can be read', async () => {
  const row = loadMatrix().rows.find(({ fault }) => fault === 'client-clock')!;
  const trial = await runCell(subjectOf('redis-getset'), row, { seed: 7, budget: 64 });

  // As if clocks that jump had broken it where nothing goes wrong.
  const cell = await judgedCell({ row: { fault: 'none' }, column: 'redis-getset' }, trial);

  expect(cell).toMatchObject({ outcome: 'breaks', unexpected: true });
  expect(cell.stories).toBeUndefined();
  const { schedule } = storyFromString(cell.evidence?.replay ?? '');
  const asGenerated = trial.findings.get('validity')?.schedule;
  expect(schedule.faults).toHaveLength(1);
  expect(JSON.stringify(schedule).length).toBeLessThan(JSON.stringify(asGenerated).length / 1.5);
});

test('without a lock updates are lost', async () => {
  for (const fault of ['none', 'failover'] as const) {
    const row = stage.head.rows.find((each) => each.fault === fault)!;

    const { outcome, evidence } = await stage.runCell(row, noLock);

    expect([fault, outcome]).toEqual([fault, 'breaks']);
    expect(evidence?.unfencedViolated).toBeGreaterThan(16);
  }
});

test('under contention nothing is lost', async () => {
  for (const column of [memory, simple, redlock]) {
    const cell = await stage.runCell({ fault: 'none' }, column);

    expect([column.id, cell.outcome]).toEqual([column.id, 'holds']);
    expect(cell).toMatchObject({
      unexpected: false,
      evidence: { trials: BUDGET, validityViolated: 0 },
    });
  }
});

test('where a lock must break it is looked at for longer, and what shows it can be replayed', async () => {
  const row = { fault: 'restart-empty' } as const;
  const small = new SimulatorRunner({ seed: 3, budget: 1 });

  const cell = await small.runCell(row, simple);

  expect(cell).toMatchObject({ outcome: 'breaks', fenced: 'holds', unexpected: false });
  expect(cell.evidence?.trials).toBeGreaterThan(1);
  expect(cell.evidence?.example).toContain('both held k validly');
  expect(cell.evidence?.replay).toMatch(/^r1\./);
});

test('what cannot be tried is not, and says why', () => {
  const cell = stage.inapplicableCell({ fault: 'server-stop' }, memory);

  expect(cell).toMatchObject({ outcome: 'n/a', evidence: null, unexpected: false });
  expect(cell?.reason).toContain('It has no servers');
});

test('a crashed holder is followed after about its ttl, in virtual time', async () => {
  const figures = await stage.figures(simple);

  expect(figures).toMatchObject([
    { metric: 'takeover-ms', how: 'simulated', column: 'redis-simple' },
  ]);
  expect(figures[0]?.value).toBeGreaterThan(500);
  expect(figures[0]?.value).toBeLessThanOrEqual(1_100);
});

test('a seed plays the same schedules with the same outcome; another seed plays others', async () => {
  const row = { fault: 'pause' } as const;
  const again = await new SimulatorRunner({ seed: 7, budget: BUDGET }).runCell(row, memory);
  const other = await new SimulatorRunner({ seed: 8, budget: BUDGET }).runCell(row, memory);

  expect(again).toEqual(await stage.runCell(row, memory));
  expect(other.evidence).not.toEqual(again.evidence);
});
