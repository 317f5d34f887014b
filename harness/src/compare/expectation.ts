import type { FaultId } from '@holdfast/core';
import type { OutcomeId } from '../draw/index.ts';
import { isControl, lockNamed } from '../locks/index.ts';
import {
  type Expect,
  loadMatrix,
  type ExpectedCell as MatrixCell,
  type Row,
  rowName,
} from '../matrix/index.ts';
import type { FencedOutcome, How } from './report.ts';

/** What one fault is expected to do to one column. */
export interface Expectation {
  readonly outcome: OutcomeId;
  readonly fenced: FencedOutcome;
  /** Why it is `inert` or `n/a`; such a cell is not tried. */
  readonly reason?: string;
}

/** On real servers a lock that needs none is one process, in which holder and waiters share their fate. */
const ONE_PROCESS: Readonly<Partial<Record<FaultId, Expectation>>> = {
  pause: {
    outcome: 'inert',
    fenced: 'n/a',
    reason: 'holder and waiters are one process: they stand still together',
  },
  'holder-crash': {
    outcome: 'n/a',
    fenced: 'n/a',
    reason: 'its locks die with its one process: nobody is left to wait',
  },
};

const UNLOCKED: Expectation = { outcome: 'breaks', fenced: 'n/a' };

/** A row of a report, or one that says nothing of its variant. */
interface AnyRow {
  readonly fault: FaultId;
  readonly variant?: string | undefined;
}

export interface CellContext extends AnyRow {
  readonly how: How;
  readonly column: string;
}

/** What the matrix expects of a cell; undefined of a column that it does not know. */
export function expectationOf({ how, column, ...row }: CellContext): Expectation | undefined {
  // A backend over several clients is one lock.
  const [backend = ''] = column.split('/');
  if (isControl(backend)) return UNLOCKED;
  if (
    how === 'measured' &&
    lockNamed(backend)?.needs === 'nothing' &&
    ONE_PROCESS[row.fault] !== undefined
  )
    return ONE_PROCESS[row.fault];
  const cell = matrixCell(row, backend);
  return cell === undefined ? undefined : expectationIn(cell);
}

/** The row of the matrix that a row of a report is. */
export function matrixRow(row: AnyRow): Row | undefined {
  return loadMatrix().rows.find((each) => rowName(each) === rowName(row));
}

function matrixCell(row: AnyRow, column: string): MatrixCell | undefined {
  const known = loadMatrix().columns.includes(column);
  return known ? matrixRow(row)?.cells[column] : undefined;
}

function expectationIn({ claims: { validity, belief, resource } }: MatrixCell): Expectation {
  const fenced = fencedOf(resource.expect);
  if (validity.expect === 'inert' || validity.expect === 'n/a')
    return { outcome: validity.expect, fenced, reason: validity.why.replace(/\.$/, '') };
  if (validity.expect === 'breaks') return { outcome: 'breaks', fenced };
  return { outcome: belief.expect === 'breaks' ? 'late' : 'holds', fenced };
}

function fencedOf(expect: Expect): FencedOutcome {
  return expect === 'inert' ? 'n/a' : expect;
}
