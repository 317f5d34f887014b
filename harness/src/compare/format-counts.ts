import { isControl } from '../locks/index.ts';
import { rowName } from '../matrix/index.ts';
import type { Paint } from './paint.ts';
import type { Cell, Evidence, Run } from './report.ts';
import { line, type Printed, printed, type Widths } from './table.ts';

const WIDTHS: Widths = { label: 42, cell: 13 };
const HEADS = ['two valid', 'late', 'fence broken'];

interface Counted {
  readonly cell: Cell;
  readonly evidence: Evidence;
}

/** A line for each cell: in how many schedules something went wrong, and in what share of them. */
export function formatCounts({ safety, counts = false }: Run, paint: Paint): string[] {
  // The control has no leases, and was not played to be counted.
  const counted = safety.flatMap((cell) =>
    cell.evidence === null || isControl(cell.column) ? [] : { cell, evidence: cell.evidence },
  );
  if (!counts || counted.length === 0) return [];
  const trials = Math.min(...counted.map(({ evidence }) => evidence.trials));
  const what = `of ${grouped(trials)} schedules a cell; none is, at 95 %, fewer than ${percent(3, trials)}`;
  const heads = HEADS.map((head) => printed(head, paint.dim(head)));
  return [
    `${paint.bold('Counts')}  ${paint.dim(what)}`,
    line(printed(''), heads, WIDTHS),
    ...counted.map(rowOf),
  ];
}

function rowOf({ cell, evidence }: Counted): string {
  const { trials, validityViolated, beliefViolated, fencedViolated } = evidence;
  const rates = [validityViolated, beliefViolated, fencedViolated].map((n) => rate(n, trials));
  return line(printed(`${rowName(cell)} on ${cell.column}`), rates, WIDTHS);
}

/** `12, 0.6 %`. */
function rate(violated: number | null, trials: number): Printed {
  if (violated === null) return printed('–');
  return printed(violated === 0 ? 'none' : `${grouped(violated)}, ${percent(violated, trials)}`);
}

/** With two digits that count, and never as `3e-7`. */
function percent(part: number, whole: number): string {
  const value = Math.min(100, (100 * part) / whole);
  const digits = Math.max(0, 1 - Math.floor(Math.log10(value)));
  const text = value.toFixed(digits);
  return `${digits === 0 ? text : text.replace(/\.?0+$/, '')} %`;
}

/** `100 000`. */
export function grouped(n: number): string {
  return String(n).replaceAll(/\B(?=(?:\d{3})+$)/g, ' ');
}
