import type { FaultId } from '@holdfast/core/backend';
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

/** The expected outcome of one fault on one column. */
export interface Expectation {
  readonly outcome: OutcomeId;
  readonly fenced: FencedOutcome;
  /** The reason why it is `inert` or `n/a`; such a cell is not tested. */
  readonly reason?: string;
}

/** On real servers a lock without servers is one process, so holder and waiters are paused and crash together. */
const ONE_PROCESS: Readonly<Partial<Record<FaultId, Expectation>>> = {
  pause: {
    outcome: 'inert',
    fenced: 'n/a',
    reason: 'holder and waiters are one process: they are paused together',
  },
  'holder-crash': {
    outcome: 'n/a',
    fenced: 'n/a',
    reason: 'its locks die with its one process: no waiter is left',
  },
};

const UNLOCKED: Expectation = { outcome: 'breaks', fenced: 'n/a' };

/** A row of a report, or one without a variant. */
interface AnyRow {
  readonly fault: FaultId;
  readonly variant?: string | undefined;
}

export interface CellContext extends AnyRow {
  readonly how: How;
  readonly column: string;
}

/** The expectation of the matrix for a cell; undefined for an unknown column. */
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

/** The row of the matrix for a row of a report. */
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
