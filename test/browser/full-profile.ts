import type { FaultId } from '@holdfast/core/backend';
import {
  broken,
  cellOf,
  judgedTrial,
  type LabCell,
  type LabReport,
  late,
  lossy,
  reportOf,
  stale,
} from '../../harness/test/kit/lab.ts';
import { REAL_COLUMNS } from '../../harness/test/kit/locks.ts';

const WITHOUT_TOKENS: ReadonlySet<string> = new Set(['no-lock', 'redis-getset', 'redlock']);

/** Results of the full profile of 2026-11-22, column by column; `!` is broken at the resource that compares tokens, too. */
const SHOWN: Readonly<Partial<Record<FaultId, string>>> = {
  none: '✗✓ ✓✓✓ ',
  delay: ' ✓ ✗✓✓ ',
  reorder: ' ◐ ✗◐◐ ',
  'lost-reply': ' ✓ ✓✓✓ ',
  pause: '✗◐ ✗◐◐ ',
  'pause-acquire': ' ✓  ✓✓ ',
  'loop-block': ' ◐ ✗◐◐ ',
  'client-clock': ' ✓ ✗✓✓ ',
  'server-clock-forward': ' ✗ ✓✗✓ ',
  'server-clock-back': ' ✓ ✓✓✓ ',
  'server-stop': ' ✓ ✓✓✓✓',
  'restart-empty': ' ✗ ✗✗✓!',
  'restart-durable': ' ✓ ✓✓✓✓',
  'torn-log': ' ✗ ✗✗ ✗',
  failover: ' ✗✓✗ ✓ ',
  'split-brain': ' ✗ ✗   ',
  'client-cut': ' ✓ ✗✓✓ ',
  'peer-cut': ' ✓ ✓ ✓ ',
  'majority-down': ' ✓ ✓✓✓ ',
  'holder-crash': ' ✓ ✓✓✓ ',
  'lost-wakeup': ' ✓  ✓✓ ',
  swizzle: ' ✓ ✓✓✓ ',
  suspend: ' ◐ ✗◐◐ ',
};

const JUDGEMENTS = {
  '✓': {},
  '◐': late,
  '✗': { ...broken, ...lossy },
  '!': { ...broken, ...lossy, ...stale },
} as const;

/** The largest number of rows and columns that a report can have, with ten trials a cell: it has to fit the first screen. */
export function fullProfile(): LabReport {
  const rows = Object.keys(SHOWN);
  const cells = REAL_COLUMNS.flatMap((column, at) =>
    rows.flatMap((fault) => cellsAt(column, fault, at)),
  );
  return reportOf(cells, { rows, settings: { ttlMs: 1_500, trials: 10, clients: 3 } });
}

function cellsAt(column: string, fault: FaultId, at: number): readonly LabCell[] {
  const glyph = SHOWN[fault]?.at(at) ?? ' ';
  if (!isGlyph(glyph)) return [];
  const tokens = WITHOUT_TOKENS.has(column) ? { fenced: null } : {};
  const trials = Array.from({ length: 10 }, () => judgedTrial({ ...JUDGEMENTS[glyph], ...tokens }));
  return [{ ...cellOf(trials, null, column), fault }];
}

function isGlyph(glyph: string): glyph is keyof typeof JUDGEMENTS {
  return Object.hasOwn(JUDGEMENTS, glyph);
}
