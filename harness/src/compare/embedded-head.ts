import { nearest } from '@holdfast/core/backend';
import { CONTROL, columnNamed, deploymentOf, lockOf } from '../locks/index.ts';
import { cellIn, isTried, type Matrix, type MatrixColumn } from '../matrix/index.ts';
import type { ExtraSource } from './explore-cell.ts';
import type { RunHead } from './format-safety.ts';
import type { ReportRow } from './report.ts';

export interface EmbeddedSettings {
  readonly seed: number;
  /** Schedules per cell. */
  readonly budget: number;
  /** True if exactly the budget is run, even if a result is still open. */
  readonly exact?: boolean | undefined;
  /** The number of cells to run at once; 1 by default. */
  readonly jobs?: number | undefined;
  /** Only these, if any are named. */
  readonly faults?: readonly string[] | undefined;
  readonly backends?: readonly string[] | undefined;
  /** Locks without a column in the matrix, or without a shown one: files, packages, and built-in locks on other numbers of servers. */
  readonly locks?: readonly string[] | undefined;
  /** True to show also rows in which none of these locks can be tested, and columns that repeat others. */
  readonly all?: boolean | undefined;
}

const BY = 'the simulator of Holdfast, in virtual time';

/** A column beside those of the matrix. */
type ExtraHead = Pick<ExtraSource, 'column' | 'counterpart' | 'note'>;

/**
 * Selects the part of the matrix to run: all of it, or the requested rows and columns, and always the control. Rows in
 * which none of these locks can be tested are shown on request, or if there are no others. Columns that repeat others are
 * shown on request, too, and if the number of schedules is exact.
 */
export function embeddedHead(
  settings: EmbeddedSettings,
  matrix: Matrix,
  extras: readonly ExtraHead[] = [],
): RunHead {
  const { seed, budget, exact = false, faults, backends, all = false, locks = [] } = settings;
  const isWhole = all || exact || backends !== undefined;
  const isShown = (column: string): boolean =>
    isWhole || deploymentOf(column)?.repeats !== true || locks.includes(column);
  const isRequested = (column: string): boolean => backends?.includes(column) ?? true;
  const columns = matrix.columns.filter(
    (column) => locks.includes(column) || (isShown(column) && isRequested(column)),
  );
  const tried = [...columns, ...extras.map(({ counterpart }) => counterpart)];
  const requested = matrix.rows.filter(({ fault }) => faults?.includes(fault) ?? true);
  const testable = requested.filter((row) => tried.some((column) => isTried(cellIn(row, column))));
  const rows = all || testable.length === 0 ? requested : testable;
  const without = requested.length - rows.length;
  return {
    servers: 'embedded',
    how: 'simulated',
    by: BY,
    settings: { seed, schedules: budget },
    rows: rows.map(reportRow),
    columns: [
      columnNamed(CONTROL.name),
      ...columns.map(columnNamed),
      ...extras.map(({ column }) => column),
    ],
    ...(exact && { counts: true }),
    ...notesOf(
      without,
      matrix.columns.filter((column) => !isShown(column)),
      extras,
    ),
  };
}

function notesOf(
  rows: number,
  repeating: readonly MatrixColumn[],
  extras: readonly ExtraHead[],
): Pick<RunHead, 'notes'> {
  const notes = [
    ...(rows > 0 ? [omittedRows(rows)] : []),
    ...repeating.map(repeats),
    ...extras.map(({ note }) => note),
  ];
  return notes.length === 0 ? {} : { notes };
}

function repeats(column: MatrixColumn): string {
  return `${column} is omitted, because it behaves like ${lockOf(column)?.name}; --all shows it.`;
}

function omittedRows(rows: number): string {
  const omitted = rows === 1 ? '1 row is' : `${rows} rows are`;
  return `${omitted} omitted: the fault cannot matter to these locks, or cannot be tested; --all shows them.`;
}

function reportRow({ fault, variant }: Matrix['rows'][number]): ReportRow {
  return variant === undefined ? { fault } : { fault, variant };
}

/** The first unknown name, with a suggestion. */
export function unknownName(
  names: readonly string[] = [],
  known: readonly string[],
): { readonly name: string; readonly hint: string } | undefined {
  const name = names.find((each) => !known.includes(each));
  if (name === undefined) return undefined;
  const meant = nearest(name, known);
  return {
    name,
    hint: meant === undefined ? `There are ${known.join(', ')}.` : `Did you mean ${meant}?`,
  };
}

/** All faults and backends that can be requested. */
export function namesIn({ rows, columns }: Matrix): {
  readonly faults: readonly string[];
  readonly backends: readonly string[];
} {
  return { faults: [...new Set(rows.map(({ fault }) => fault))], backends: columns };
}
