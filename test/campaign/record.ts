import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  type CellResult,
  cellIn,
  EMPTY_CELL_RESULT,
  loadMatrix,
  type MatrixColumn,
  mergeCellResults,
  type Row,
  rowName,
} from '../../harness/test/kit/matrix.ts';
import type { Tally } from '../../harness/test/kit/search.ts';
import type { CompareShard, ShardSet } from '../../harness/test/kit/shards.ts';
import { listText } from '../support/story-text.ts';

/** The result of a campaign in one cell; its findings are stories already. */
export interface PlayedCell extends Pick<Row, 'fault'> {
  readonly variant?: string;
  readonly column: MatrixColumn;
  readonly seed: number;
  /** Of its first schedules: another one today means that another lock, or another simulator, was played. */
  readonly fingerprint: string;
  readonly tally: Tally;
}

const MATRIX = loadMatrix();
const FOLDER = fileURLToPath(new URL('record', import.meta.url));

/** All that are kept. */
export function keptCells(): readonly PlayedCell[] {
  return keptNames().flatMap(campaignOf);
}

function keptNames(): readonly string[] {
  const files = readdirSync(FOLDER).filter((file) => file.endsWith('.json'));
  return files.map((file) => basename(file, '.json')).toSorted();
}

/** As it is kept: what nothing was counted of is left out. */
type Written = Omit<PlayedCell, 'tally'> & {
  readonly tally: Omit<Tally, 'violated' | 'sometimes'> & Partial<Tally>;
};

function campaignOf(name: string): readonly PlayedCell[] {
  const cells: readonly Written[] = JSON.parse(readFileSync(pathOf(name), 'utf8'));
  return cells.map((cell) => ({ ...cell, tally: { violated: {}, sometimes: {}, ...cell.tally } }));
}

function pathOf(name: string): string {
  return join(FOLDER, `${name}.json`);
}

/** Keeps the results of shards under this name, and replaces what was kept of their cells. The control is not counted. */
export function keep(name: string, { first, reports }: ShardSet<CompareShard>): void {
  const { seed, cells } = first.campaign;
  const played = cells.flatMap(({ column, ...cell }, i) => {
    const trials = reports.map((report) => report.trials[i] ?? EMPTY_CELL_RESULT);
    return column === 'no-lock' ? [] : [{ ...cell, column, seed, tally: sumOf(trials) }];
  });
  mkdirSync(FOLDER, { recursive: true });
  const again = new Set(played.map(nameOf));
  const old = (of: string): readonly PlayedCell[] =>
    campaignOf(of).filter((cell) => !again.has(nameOf(cell)));
  for (const other of keptNames().filter((kept) => kept !== name)) write(other, old(other));
  write(name, [...(keptNames().includes(name) ? old(name) : []), ...played]);
}

function write(name: string, cells: readonly PlayedCell[]): void {
  writeFileSync(pathOf(name), listText(cells.map(writtenOf)));
}

/** Of the rare states those that the matrix names: nobody asks for the others. */
function writtenOf(cell: PlayedCell): Written {
  const row = MATRIX.rows.find((each) => rowName(each) === rowName(cell));
  const named = row === undefined ? [] : cellIn(row, cell.column).sometimes;
  const { violated, sometimes, ...counts } = cell.tally;
  const kept = Object.fromEntries(named.map((state) => [state, sometimes[state] ?? 0]));
  const tally = {
    ...counts,
    ...(Object.keys(violated).length > 0 && { violated }),
    ...(named.length > 0 && { sometimes: kept }),
  };
  return { ...cell, tally };
}

function nameOf(cell: Pick<PlayedCell, 'fault' | 'variant' | 'column'>): string {
  return `${rowName(cell)} on ${cell.column}`;
}

function sumOf(trials: readonly CellResult[]): Tally {
  return trials.reduce(mergeCellResults, EMPTY_CELL_RESULT).tally;
}
