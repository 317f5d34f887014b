import type { Cell, Evidence, Figure, Report } from '../../src/compare/report.ts';
import { columnNamed } from '../../src/locks/index.ts';

const locked: Evidence = {
  trials: 400,
  effective: 398,
  asked: 4_800,
  sent: 4_800,
  validityViolated: 0,
  beliefViolated: 0,
  unfencedViolated: 0,
  fencedViolated: 0,
  stuck: 0,
  unfenced: { accepted: 4_800, refused: 0, lost: 0 },
  fenced: { accepted: 4_800, refused: 0, lost: 0 },
};
const control: Evidence = {
  ...locked,
  validityViolated: null,
  beliefViolated: null,
  unfencedViolated: 400,
  fencedViolated: null,
  unfenced: { accepted: 4_800, refused: 0, lost: 2_776 },
  fenced: null,
};
const UNLOCKED = { outcome: 'breaks', fenced: 'n/a' } as const;
const LATE = { outcome: 'late', fenced: 'holds' } as const;
const HOLDS = { outcome: 'holds', fenced: 'holds' } as const;

/** One cell of each kind, unexpected ones too. */
const safety: readonly Cell[] = [
  cell('none', 'no-lock', UNLOCKED, UNLOCKED, control),
  cell('none', 'memory', HOLDS, HOLDS, locked),
  cell('none', 'redis-simple/ioredis', { outcome: 'breaks', fenced: 'holds' }, HOLDS, {
    ...locked,
    validityViolated: 3,
    unfencedViolated: 3,
    unfenced: { accepted: 4_800, refused: 0, lost: 12 },
    example: 'p1.1 and p2.1 both held k validly from 5 ms to 9 ms',
  }),
  cell('pause', 'no-lock', UNLOCKED, UNLOCKED, control),
  cell('pause', 'memory', LATE, LATE, {
    ...locked,
    beliefViolated: 398,
    unfencedViolated: 398,
    unfenced: { accepted: 4_800, refused: 0, lost: 1_582 },
  }),
  cell('pause', 'redis-simple/ioredis', { outcome: 'nothing', fenced: 'holds' }, LATE, {
    ...locked,
    effective: 2,
  }),
  cell('holder-crash', 'no-lock', UNLOCKED, UNLOCKED, control),
  {
    ...cell('holder-crash', 'memory', { outcome: 'n/a', fenced: 'n/a' }, null, null),
    unexpected: false,
    reason: 'its locks die with its one process: no waiter is left',
  },
  cell('holder-crash', 'redis-simple/ioredis', HOLDS, HOLDS, locked),
];

const played: Evidence = { ...locked, trials: 100, unfenced: null, fenced: null };
const behind = { fault: 'failover', variant: 'clock behind' } as const;

/** Two glyphs, one, none, and rings around each. */
const simulated: readonly Cell[] = [
  { ...cell('pause', 'no-lock', UNLOCKED, UNLOCKED, played), how: 'simulated' },
  {
    ...cell('pause', 'redis-simple', LATE, LATE, { ...played, beliefViolated: 77 }),
    how: 'simulated',
    stories: ['simple-pause', 'simple-late-write'],
  },
  {
    ...cell('pause', 'redlock-pairs', { outcome: 'n/a', fenced: 'n/a' }, null, null),
    how: 'simulated',
    unexpected: false,
    reason: 'as on redlock',
  },
  { ...cell('failover', 'no-lock', UNLOCKED, UNLOCKED, played), ...behind, how: 'simulated' },
  {
    ...cell(
      'failover',
      'redis-simple',
      { outcome: 'breaks', fenced: 'holds' },
      { outcome: 'breaks', fenced: 'breaks' },
      { ...played, validityViolated: 9, example: 'a and b both held k validly', replay: 'r1.abc' },
    ),
    ...behind,
    how: 'simulated',
  },
  {
    ...cell('failover', 'redlock-pairs', UNLOCKED, UNLOCKED, { ...played, validityViolated: 9 }),
    ...behind,
    how: 'simulated',
    stories: [
      'simple-failover-behind-fenced',
      'redlock-server-clock-forward',
      'pairs-failover-ahead',
    ],
  },
  { ...cell('peer-cut', 'no-lock', UNLOCKED, UNLOCKED, played), how: 'simulated' },
  {
    ...cell('peer-cut', 'redis-simple', { outcome: 'inert', fenced: 'n/a' }, null, null),
    how: 'simulated',
    unexpected: false,
    reason: 'clients talk to the master alone',
  },
  {
    ...cell('peer-cut', 'redlock-pairs', { outcome: 'nothing', fenced: 'n/a' }, null, played),
    how: 'simulated',
  },
];

const cost: readonly Figure[] = [
  figure('acquire-round-trips', 'memory', 0, 'counted at the port'),
  figure('acquire-round-trips', 'redis-simple/ioredis', 1, 'counted at the port'),
  figure('acquire-p50-ms', 'memory', 0.0067, 'one client'),
  figure('acquire-p50-ms', 'redis-simple/ioredis', 0.158, 'one client'),
  figure('contended-acquisitions-per-s', 'memory', 68_557.3, '16 clients on one key'),
  figure('contended-acquisitions-per-s', 'redis-simple/ioredis', 1_606.4, '16 clients on one key'),
  { ...figure('takeover-ms', 'memory', null, 'median'), reason: 'no process is left' },
  { ...figure('takeover-ms', 'redis-simple/ioredis', 981, 'median'), how: 'simulated' },
];

/** A report with something of everything, to see how it is printed. */
export const EXAMPLE: Report = {
  format: 'holdfast-compare',
  version: 2,
  holdfast: '0.1.0',
  startedAt: '2026-11-20T12:00:00.000Z',
  tookMs: 2_100,
  verdict: 'unexpected',
  runs: [
    {
      servers: 'local',
      how: 'measured',
      by: 'redis-server 7.0.15 on loopback',
      settings: { processes: 4, trials: 400, ttlMs: 1_000 },
      rows: [{ fault: 'none' }, { fault: 'pause' }, { fault: 'holder-crash' }],
      columns: ['no-lock', 'memory', 'redis-simple/ioredis'].map(columnNamed),
      safety,
      cost,
      tookMs: 2_000,
    },
    {
      servers: 'embedded',
      how: 'simulated',
      by: 'the simulator of Holdfast, in virtual time',
      settings: { seed: 1, schedules: 100 },
      rows: [
        { fault: 'pause' },
        { fault: 'failover', variant: 'clock behind' },
        { fault: 'peer-cut' },
      ],
      columns: ['no-lock', 'redis-simple', 'redlock-pairs'].map(columnNamed),
      safety: simulated,
      counts: true,
      cost: [],
      tookMs: 1_000,
    },
  ],
};

type Expected = NonNullable<Cell['expected']>;

function cell(
  fault: Cell['fault'],
  column: string,
  got: Expected,
  expected: Expected | null,
  evidence: Evidence | null,
): Cell {
  const unexpected = got.outcome !== expected?.outcome || got.fenced !== expected.fenced;
  const doubt = { reason: 'the fault took effect in only 2 of 400 trials' };
  return {
    fault,
    column,
    how: 'measured',
    ...got,
    expected,
    unexpected,
    evidence,
    ...(got.outcome === 'nothing' ? doubt : {}),
  };
}

function figure(
  metric: Figure['metric'],
  column: string,
  value: number | null,
  by: string,
): Figure {
  return { metric, column, value, how: 'measured', by, samples: 100 };
}
