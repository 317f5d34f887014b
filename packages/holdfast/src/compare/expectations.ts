import type { FaultId } from '@holdfast/core';
import type { ColumnId, OutcomeId } from './notation.ts';
import type { FencedOutcome, How } from './report.ts';

/** What one fault is expected to do to one column. */
export interface Expectation {
  readonly how: How;
  readonly column: ColumnId;
  readonly fault: FaultId;
  readonly outcome: OutcomeId;
  readonly fenced: FencedOutcome;
  /** Why it is `inert` or `n/a`; such a cell is not tried. */
  readonly reason?: string;
}

const LOCKED = { outcome: 'holds', fenced: 'holds' } as const;
const LATE = { outcome: 'late', fenced: 'holds' } as const;
const UNLOCKED = { outcome: 'breaks', fenced: 'n/a' } as const;

/** Every cell there is. In one process holder and waiters share their fate, in the simulator each is a process. */
export const EXPECTATIONS: readonly Expectation[] = [
  { how: 'simulated', column: 'no-lock', fault: 'none', ...UNLOCKED },
  { how: 'simulated', column: 'no-lock', fault: 'pause', ...UNLOCKED },
  { how: 'simulated', column: 'no-lock', fault: 'holder-crash', ...UNLOCKED },
  { how: 'simulated', column: 'memory', fault: 'none', ...LOCKED },
  { how: 'simulated', column: 'memory', fault: 'pause', ...LATE },
  { how: 'simulated', column: 'memory', fault: 'holder-crash', ...LOCKED },

  { how: 'measured', column: 'no-lock', fault: 'none', ...UNLOCKED },
  { how: 'measured', column: 'no-lock', fault: 'pause', ...UNLOCKED },
  { how: 'measured', column: 'no-lock', fault: 'holder-crash', ...UNLOCKED },
  { how: 'measured', column: 'memory', fault: 'none', ...LOCKED },
  {
    how: 'measured',
    column: 'memory',
    fault: 'pause',
    outcome: 'inert',
    fenced: 'n/a',
    reason: 'holder and waiters are one process: they stand still together',
  },
  {
    how: 'measured',
    column: 'memory',
    fault: 'holder-crash',
    outcome: 'n/a',
    fenced: 'n/a',
    reason: 'its locks die with its one process: nobody is left to wait',
  },
  { how: 'measured', column: 'redis-simple/ioredis', fault: 'none', ...LOCKED },
  { how: 'measured', column: 'redis-simple/ioredis', fault: 'pause', ...LATE },
  { how: 'measured', column: 'redis-simple/ioredis', fault: 'holder-crash', ...LOCKED },
  { how: 'measured', column: 'redis-simple/node-redis', fault: 'none', ...LOCKED },
  { how: 'measured', column: 'redis-simple/node-redis', fault: 'pause', ...LATE },
  { how: 'measured', column: 'redis-simple/node-redis', fault: 'holder-crash', ...LOCKED },
];

/** What is expected of a cell; undefined where nobody has said. */
export function expectationOf(how: How, column: string, fault: FaultId): Expectation | undefined {
  return EXPECTATIONS.find(
    (each) => each.how === how && each.column === column && each.fault === fault,
  );
}
