import { nearest } from '../config/nearest.ts';
import type { Matrix } from '../matrix/index.ts';
import type { RunHead } from './format-safety.ts';
import { COLUMNS } from './notation.ts';
import type { ReportRow } from './report.ts';

export interface EmbeddedSettings {
  readonly seed: number;
  /** Schedules a cell. */
  readonly budget: number;
  /** Only these, where any are named. */
  readonly faults?: readonly string[] | undefined;
  readonly backends?: readonly string[] | undefined;
}

const BY = 'the simulator of Holdfast, in virtual time';

/** What of the matrix is played: all of it, or the rows and columns that were asked for, and always the control. */
export function embeddedHead(
  { seed, budget, faults, backends }: EmbeddedSettings,
  matrix: Matrix,
): RunHead {
  const columns = matrix.columns.filter((column) => backends?.includes(column) ?? true);
  const rows = matrix.rows.filter(({ fault }) => faults?.includes(fault) ?? true);
  return {
    servers: 'embedded',
    how: 'simulated',
    by: BY,
    settings: { seed, schedules: budget },
    rows: rows.map(reportRow),
    columns: [COLUMNS['no-lock'], ...columns.map((column) => COLUMNS[column])],
    ...(isZkMissing(matrix) && { notes: [ZK_TO_COME] }),
  };
}

const ZK_TO_COME =
  'zk has no column here yet: the matrix does not say what to expect of it. On real servers it is compared by --servers local.';

function isZkMissing({ columns }: { readonly columns: readonly string[] }): boolean {
  return !columns.includes('zk');
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
