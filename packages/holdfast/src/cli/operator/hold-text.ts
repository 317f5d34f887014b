import type { Inspection } from '@holdfast/core';
import { printable } from '../io.ts';

/** A duration for people: `840 ms`, `12.3 s`, `4 min 10 s`. */
export function seconds(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1_000).toFixed(1)} s`;
  const whole = Math.round(ms / 1_000);
  return `${Math.floor(whole / 60)} min ${whole % 60} s`;
}

/** The columns of a table: heading and width. The last one is as wide as it needs. */
export type Columns = readonly (readonly [heading: string, width: number])[];

export function headingOf(columns: Columns): string {
  return rowOf(
    columns,
    columns.map(([heading]) => heading),
  );
}

/** A row; what is wider than its column pushes the others aside, and is not cut: people copy keys. */
export function rowOf(columns: Columns, cells: readonly string[]): string {
  const padded = cells.map((cell, at) => printable(cell).padEnd(columns[at]?.[1] ?? 0));
  return `${padded.join('  ').trimEnd()}\n`;
}

export const UNKNOWN = '-';

/** Cells that tables of holds share: remaining time, token, waiters. */
export function holdCells({ remainingMs, fencingToken, waiters }: Inspection): readonly string[] {
  return [
    remainingMs === undefined ? UNKNOWN : seconds(remainingMs),
    fencingToken === undefined ? UNKNOWN : `${fencingToken}`,
    waiters === undefined ? UNKNOWN : `${waiters}`,
  ];
}
