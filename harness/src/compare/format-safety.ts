import type { Column } from '../draw/index.ts';
import { mark, OUTCOMES } from '../draw/index.ts';
import { rowName } from '../matrix/index.ts';
import type { Paint } from './paint.ts';
import type { Cell, ComparedRun, ReportRow } from './report.ts';
import { line, type Printed, printed, type Widths } from './table.ts';

/** The part of a run that is known before its first cell. */
export type RunHead = Pick<
  ComparedRun,
  'servers' | 'how' | 'by' | 'settings' | 'rows' | 'columns' | 'notes' | 'counts'
>;

/** For a run in the simulator: more columns, with two glyphs each. */
const NARROW: Widths = { label: 27, cell: 8 };
/** For a run on servers: room for `redis-simple`, and for two numbers below it. */
const WIDE: Widths = { label: 26, cell: 13 };

/** Heading and column names of the part Safety. */
export function safetyHead(run: RunHead, paint: Paint): string[] {
  return [
    `${paint.bold('Safety')}  ${SUBTITLES[run.how]}`,
    ...[`${run.how}: ${run.by}`, settingsOf(run.settings)].map((text) =>
      paint.dim(`        ${text}`),
    ),
    '',
    ...columnHeads(run.columns, paint, widthsOf(run)),
  ];
}

const SUBTITLES: Readonly<Record<ComparedRun['how'], string>> = {
  simulated: 'of the lock itself, and of a resource that compares its fencing tokens',
  measured: 'updates lost, without / with a fencing token at the resource',
};

/** The widths of all tables of a run. */
export function widthsOf({ how }: Pick<ComparedRun, 'how'>): Widths {
  return how === 'simulated' ? NARROW : WIDE;
}

/** Column heads on two lines: backend and client, or a long name, split at its hyphen. */
export function columnHeads(
  columns: readonly Column[],
  paint: Paint,
  widths: Widths = WIDE,
): string[] {
  const heads = columns.map((column) => headOf(column, widths));
  const named = (text: string, at: number): string => paint.name(columns[at]?.id ?? '', text);
  const first = heads.map(([text], at) => printed(text, named(text, at)));
  const second = heads.map(([, text, isName], at) =>
    printed(text, isName ? named(text, at) : paint.dim(text)),
  );
  const lines = [line(printed(''), first, widths)];
  if (heads.some(([, text]) => text !== '')) lines.push(line(printed(''), second, widths));
  return lines;
}

function headOf({ backend, client }: Column, { cell }: Widths): [string, string, boolean] {
  if (client !== undefined) return [backend, client, false];
  const at = backend.length < cell ? -1 : backend.indexOf('-');
  return at < 0 ? [backend, '', false] : [backend.slice(0, at + 1), backend.slice(at + 1), true];
}

/** One row: the outcome of a fault on every column, on a second line if the name is long. */
export function safetyRow(
  run: Pick<ComparedRun, 'how'>,
  row: ReportRow,
  cells: readonly Cell[],
  paint: Paint,
): readonly string[] {
  const text = run.how === 'simulated' ? glyphs : figures;
  const name = rowName(row);
  const widths = widthsOf(run);
  const isLong = name.length >= widths.label;
  const outcomes = cells.map((cell) => text(cell, paint));
  if (!isLong) return [line(printed(name), outcomes, widths)];
  return [name, line(printed(''), outcomes, widths)];
}

/** `✗ ✓`: the lock, and the resource that compares tokens, if there are tokens. */
function glyphs({ outcome, fenced, unexpected }: Cell, paint: Paint): Printed {
  if (fenced === 'n/a') return printed(mark(outcome, unexpected), paint.mark(outcome, unexpected));
  const { glyph } = OUTCOMES[fenced];
  const bare = `${mark(outcome, unexpected)}${glyph}`;
  return printed(bare, `${paint.mark(outcome, unexpected)}${paint.mark(fenced, false).trim()}`);
}

function figures({ outcome, unexpected, evidence }: Cell, paint: Paint): Printed {
  const lost =
    evidence === null ? '' : `${evidence.unfenced?.lost ?? '–'} / ${evidence.fenced?.lost ?? '–'}`;
  const bare = `${mark(outcome, unexpected)}${lost}`;
  // The mark begins with a blank or its ring, so the column stays aligned.
  return printed(bare, `${paint.mark(outcome, unexpected)}${lost}`);
}

/** `1000 ms ttl · 3 clients · …`, from names with their units last. */
function settingsOf(settings: ComparedRun['settings']): string {
  return Object.entries(settings)
    .map(([name, value]) => setting(name, value))
    .join(' · ');
}

function setting(name: string, value: number): string {
  const words = name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return words.endsWith(' ms') ? `${words.slice(0, -3)} ${value} ms` : `${words} ${value}`;
}
