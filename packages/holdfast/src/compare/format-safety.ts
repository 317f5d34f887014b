import type { FaultId } from '@holdfast/core';
import type { Column } from './notation.ts';
import { mark } from './notation.ts';
import type { Paint } from './paint.ts';
import type { Cell, Run } from './report.ts';
import { line, type Printed, printed } from './table.ts';

/** What is known of a run before its first cell. */
export type RunHead = Pick<Run, 'servers' | 'how' | 'by' | 'settings' | 'faults' | 'columns'>;

/** Heading and column names of the part Safety. */
export function safetyHead(run: RunHead, paint: Paint): string[] {
  return [
    `${paint.bold('Safety')}  updates lost, without / with a fencing token at the resource`,
    ...[`${run.how}: ${run.by}`, settingsOf(run.settings)].map((text) =>
      paint.dim(`        ${text}`),
    ),
    '',
    ...columnHeads(run.columns, paint),
  ];
}

/** `redis-simple` over two lines: the backend, and below it the client. */
export function columnHeads(columns: readonly Column[], paint: Paint): string[] {
  const names = columns.map(({ backend }) => printed(backend, paint.bold(backend)));
  const clients = columns.map(({ client = '' }) => printed(client, paint.dim(client)));
  const heads = [line(printed(''), names)];
  if (columns.some(({ client }) => client !== undefined)) heads.push(line(printed(''), clients));
  return heads;
}

/** One row: what became of `fault` on every column. */
export function safetyRow(fault: FaultId, cells: readonly Cell[], paint: Paint): string {
  return line(
    printed(fault),
    cells.map((cell) => cellText(cell, paint)),
  );
}

function cellText({ outcome, unexpected, evidence }: Cell, paint: Paint): Printed {
  const figures =
    evidence === null ? '' : `${evidence.unfenced.lost} / ${evidence.fenced?.lost ?? '–'}`;
  const bare = `${mark(outcome, unexpected)}${figures}`;
  // The mark begins with a blank, or with its ring, which then hangs out to the left of the column.
  return printed(bare, `${paint.mark(outcome, unexpected)}${figures}`);
}

/** `1000 ms ttl · 3 clients · …`, from names with their units last. */
function settingsOf(settings: Run['settings']): string {
  return Object.entries(settings)
    .map(([name, value]) => setting(name, value))
    .join(' · ');
}

function setting(name: string, value: number): string {
  const words = name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return words.endsWith(' ms') ? `${words.slice(0, -3)} ${value} ms` : `${words} ${value}`;
}
