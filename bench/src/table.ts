import type { Result } from './measure.ts';
import type { Spread } from './statistics.ts';
import { workloads } from './workload.ts';

const HEADS = ['contender', 'client', 'cycles/s', 'min – max', '× raw', 'min – max'];

function whole(value: number): string {
  return Math.round(value).toLocaleString('en-GB');
}

function ratio(value: number): string {
  return value.toFixed(2);
}

function range({ min, max }: Spread, show: (value: number) => string): string {
  return `${show(min)} – ${show(max)}`;
}

function row({ candidate, client, cyclesPerSecond, ratioToRaw }: Result): string[] {
  return [
    candidate,
    client,
    whole(cyclesPerSecond.median),
    range(cyclesPerSecond, whole),
    ratioToRaw === undefined ? '' : ratio(ratioToRaw.median),
    ratioToRaw === undefined ? '' : range(ratioToRaw, ratio),
  ];
}

function aligned(rows: readonly (readonly string[])[]): string {
  const widths = HEADS.map((_, column) =>
    Math.max(...rows.map((cells) => cells[column]?.length ?? 0)),
  );
  const line = (cells: readonly string[]): string =>
    cells
      // Names are aligned left, figures right.
      .map((cell, column) =>
        column < 2 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0),
      )
      .join('  ');
  return rows.map((cells) => `  ${line(cells)}`.trimEnd()).join('\n');
}

/** One block for each workload, the fastest contender first. */
export function table(results: readonly Result[]): string {
  const blocks = workloads.map((workload) => {
    const own = results
      .filter((result) => result.workload === workload.name)
      .toSorted((a, b) => b.cyclesPerSecond.median - a.cyclesPerSecond.median);
    return `${workload.title}\n${aligned([HEADS, ...own.map(row)])}`;
  });
  return blocks.join('\n\n');
}
