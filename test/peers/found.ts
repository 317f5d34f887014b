import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { FaultId } from '@holdfast/core/backend';
import type { OutcomeId } from '@holdfast/harness/draw';
import { FAULT_IDS } from '@holdfast/harness/simulator';
import type { Tally } from '../../harness/test/kit/search.ts';
import { listText } from '../support/story-text.ts';
import type { Extent, Tried } from './bench.ts';
import type { Waited } from './liveness.ts';

/** Results of a campaign, from which the page is made. */
export interface Found {
  readonly cells: readonly Cell[];
  readonly waited: readonly Waited[];
}

/** The number of schedules of a campaign, which the page shows. */
export const EXTENT: Extent = { few: 40, many: 200, seed: 1 };
/** Of every kind, after which progress is demanded: such a schedule takes several times as long. */
export const AFTERMATH = { schedules: 40, seed: 1 } as const;

export interface Cell {
  readonly fault: FaultId;
  readonly column: string;
  readonly schedules: number;
  /** In how many the fault took effect while one held and another waited. */
  readonly effective: number;
  /** Operations, and how many of them wrote what they had to. */
  readonly ops: number;
  readonly accepted: number;
  /** In how many each property was violated, and where first. */
  readonly violated: Readonly<Record<string, Violated>>;
}

export interface Violated {
  readonly times: number;
  readonly first: number;
  readonly message: string;
}

/** A minimal story of one library, and how soon its like is found. */
export interface FoundStory {
  readonly column: string;
  readonly fault: FaultId;
  readonly kind: string;
  /** The number of schedules until it was found, by seed. */
  readonly runs: Readonly<Record<string, number>>;
}

/** A master that its replica no longer hears from works as before. */
const LEFT_OUT: FaultId = 'peer-cut';

export const FAULTS: readonly FaultId[] = FAULT_IDS.filter((fault) => fault !== LEFT_OUT);

/** The file of a campaign's results on one column. */
export function foundFile(column: string): string {
  const name = column
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, ' ')
    .trim()
    .replaceAll(' ', '-');
  return fileURLToPath(new URL(`found/${name}.json`, import.meta.url));
}

/** The file of the stories. */
export const STORIES_FILE: string = fileURLToPath(new URL('tales.json', import.meta.url));

/** @param columns by name */
export function readFound(columns: readonly string[]): Found {
  const parts = columns.map(readColumn);
  return {
    cells: parts.flatMap(({ cells }) => cells),
    waited: parts.flatMap(({ waited }) => waited),
  };
}

function readColumn(column: string): Found {
  const { cells, waited } = JSON.parse(readFileSync(foundFile(column), 'utf8')) as Kept;
  return {
    cells: cells.map(({ fault, ...rest }) => ({ fault, column, ...rest })),
    waited: waited.map(({ fault, ...rest }) => ({ fault, column, ...rest })),
  };
}

/** As a file keeps it, which is of one column. */
interface Kept {
  readonly cells: readonly Omit<Cell, 'column'>[];
  readonly waited: readonly Omit<Waited, 'column'>[];
}

/** The text of the file of one column. */
export function foundText({ cells, waited }: Found): string {
  const kept: Kept = {
    cells: cells.map(({ column: _, ...cell }) => cell),
    waited: waited.map(({ column: _, ...each }) => each),
  };
  return listText(kept);
}

export function readStories(): readonly FoundStory[] {
  return JSON.parse(readFileSync(STORIES_FILE, 'utf8')) as readonly FoundStory[];
}

export function cellOf(fault: FaultId, column: string, { tally, firsts }: Tried): Cell {
  const violated = [...firsts].map(([kind, { n, violation }]): [string, Violated] => [
    kind,
    { times: timesOf(tally, kind), first: n, message: violation.message },
  ]);
  const { schedules, effective, ops, accepted } = tally;
  return {
    fault,
    column,
    schedules,
    effective,
    ops,
    accepted,
    violated: Object.fromEntries(violated.toSorted(([a], [b]) => a.localeCompare(b))),
  };
}

function timesOf({ violated }: Tally, kind: string): number {
  return violated[kind] ?? 0;
}

const EFFECTIVE_SHARE_MIN = 0.2;
const ACCEPTED_SHARE_MIN = 0.5;

/** As in the matrix: what is found counts, and finding nothing only where the fault could have mattered. */
export function outcomeOf({ violated, effective, schedules, ops, accepted }: Cell): OutcomeId {
  if (violated['validity'] !== undefined) return 'breaks';
  if (violated['belief'] !== undefined) return 'late';
  if (violated['open'] !== undefined) return 'breaks';
  if (effective === 0) return 'inert';
  const isShown =
    effective >= schedules * EFFECTIVE_SHARE_MIN && accepted >= ops * ACCEPTED_SHARE_MIN;
  return isShown ? 'holds' : 'nothing';
}

/** The outcome at a resource that compares tokens. */
export function fencedOutcomeOf(cell: Cell): OutcomeId {
  if (cell.violated['fenced'] !== undefined) return 'breaks';
  const outcome = outcomeOf(cell);
  return outcome === 'inert' || outcome === 'nothing' ? outcome : 'holds';
}
