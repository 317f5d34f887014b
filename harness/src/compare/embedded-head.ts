import { nearest } from '@holdfast/core';
import { CONTROL, columnNamed, deploymentOf, lockOf } from '../locks/index.ts';
import { cellIn, isTried, type Matrix, type MatrixColumn } from '../matrix/index.ts';
import type { ExtraSource } from './explore-cell.ts';
import type { RunHead } from './format-safety.ts';
import type { ReportRow } from './report.ts';

export interface EmbeddedSettings {
  readonly seed: number;
  /** Schedules a cell. */
  readonly budget: number;
  /** Whether that is all of them, however little is settled by then. */
  readonly exact?: boolean | undefined;
  /** How many cells at once; 1 by default. */
  readonly jobs?: number | undefined;
  /** Only these, where any are named. */
  readonly faults?: readonly string[] | undefined;
  readonly backends?: readonly string[] | undefined;
  /** Locks of which the matrix has no column, or none that is shown: files, packages, and ours on another number of servers. */
  readonly locks?: readonly string[] | undefined;
  /** Whether rows are shown in which none of these locks can be tried, and columns that repeat others. */
  readonly all?: boolean | undefined;
}

const BY = 'the simulator of Holdfast, in virtual time';

/** A column beside those of the matrix. */
type ExtraHead = Pick<ExtraSource, 'column' | 'counterpart' | 'note'>;

/**
 * What of the matrix is played: all of it, or the rows and columns that were asked for, and always the control. Rows in
 * which none of those locks can be tried say nothing; they are shown on request, or where there would be no others. So
 * are columns that repeat others, and where the number of schedules was asked for.
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
  const isAsked = (column: string): boolean => backends?.includes(column) ?? true;
  const columns = matrix.columns.filter(
    (column) => locks.includes(column) || (isShown(column) && isAsked(column)),
  );
  const tried = [...columns, ...extras.map(({ counterpart }) => counterpart)];
  const asked = matrix.rows.filter(({ fault }) => faults?.includes(fault) ?? true);
  const telling = asked.filter((row) => tried.some((column) => isTried(cellIn(row, column))));
  const rows = all || telling.length === 0 ? asked : telling;
  const without = asked.length - rows.length;
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
    ...(rows > 0 ? [leftOut(rows)] : []),
    ...repeating.map(repeats),
    ...extras.map(({ note }) => note),
  ];
  return notes.length === 0 ? {} : { notes };
}

function repeats(column: MatrixColumn): string {
  return `${column} is left out, which does as ${lockOf(column)?.name} does; --all shows it.`;
}

function leftOut(rows: number): string {
  const those = rows === 1 ? '1 row is' : `${rows} rows are`;
  return `${those} left out: the fault cannot matter to these locks, or cannot be tried; --all shows them.`;
}

function reportRow({ fault, variant }: Matrix['rows'][number]): ReportRow {
  return variant === undefined ? { fault } : { fault, variant };
}

/** The first name that is not known, and what may have been meant. */
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

/** All faults and backends that can be asked for. */
export function namesIn({ rows, columns }: Matrix): {
  readonly faults: readonly string[];
  readonly backends: readonly string[];
} {
  return { faults: [...new Set(rows.map(({ fault }) => fault))], backends: columns };
}
