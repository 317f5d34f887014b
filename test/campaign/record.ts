import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  joined,
  type MatrixColumn,
  NO_TRIAL,
  type Row,
  rowName,
  type Trial,
} from '../../packages/holdfast/src/matrix/index.ts';
import type { Tally } from '../../packages/holdfast/src/search/index.ts';
import type { Gathered } from '../../packages/holdfast/src/shards/gather.ts';
import type { CompareShard } from '../../packages/holdfast/src/shards/report.ts';

/** What a campaign came to, one file for each that was played; what it found are stories already. */
export interface Campaign {
  readonly seed: number;
  readonly cells: readonly PlayedCell[];
}

export interface PlayedCell extends Pick<Row, 'fault'> {
  readonly variant?: string;
  readonly column: MatrixColumn;
  /** Of its first schedules: another one today means that another lock, or another simulator, was played. */
  readonly fingerprint: string;
  readonly tally: Tally;
}

const FOLDER = fileURLToPath(new URL('record', import.meta.url));

/** All that are kept, in the order of their names. */
export function keptCampaigns(): readonly Campaign[] {
  return keptNames().map(campaignOf);
}

function keptNames(): readonly string[] {
  const files = readdirSync(FOLDER).filter((file) => file.endsWith('.json'));
  return files.map((file) => basename(file, '.json')).toSorted();
}

function campaignOf(name: string): Campaign {
  return JSON.parse(readFileSync(pathOf(name), 'utf8'));
}

function pathOf(name: string): string {
  return join(FOLDER, `${name}.json`);
}

/** Keeps what shards came to under this name, in the place of what was kept of the same cells. The control is not counted. */
export function keep(name: string, { first, reports }: Gathered<CompareShard>): void {
  const { seed, cells } = first.campaign;
  const played = cells.flatMap(({ column, ...cell }, i) => {
    const trials = reports.map((report) => report.trials[i] ?? NO_TRIAL);
    return column === 'no-lock' ? [] : [{ ...cell, column, tally: sumOf(trials) }];
  });
  mkdirSync(FOLDER, { recursive: true });
  const again = new Set(played.map(nameOf));
  for (const other of keptNames().filter((kept) => kept !== name)) {
    const campaign = campaignOf(other);
    const rest = campaign.cells.filter((cell) => !again.has(nameOf(cell)));
    if (rest.length < campaign.cells.length) write(other, { ...campaign, cells: rest });
  }
  write(name, { seed, cells: played });
}

function write(name: string, campaign: Campaign): void {
  writeFileSync(pathOf(name), `${JSON.stringify(campaign, null, 2)}\n`);
}

function nameOf(cell: Pick<PlayedCell, 'fault' | 'variant' | 'column'>): string {
  return `${rowName(cell)} on ${cell.column}`;
}

function sumOf(trials: readonly Trial[]): Tally {
  return trials.reduce(joined, NO_TRIAL).tally;
}
