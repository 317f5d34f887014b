import type { CellFigures } from '../evaluation/report.ts';
import type { CellWithFigures } from './cells-with-figures.ts';
import { count, sum, under } from './words.ts';

type Fence = NonNullable<CellFigures['fencedUpdates']>;

/** What tokens did for a resource that compares them, in all that was played of one lock. */
export function fenceSummary(played: readonly CellWithFigures[]): string {
  const cells = played.filter(({ figures }) => figures.fencedUpdates !== null);
  if (cells.length === 0) return 'no tokens';
  const broken = cells.filter(isBroken);
  const refused = totalOf(
    cells.filter((cell) => !isBroken(cell)),
    'refused',
  );
  const late =
    refused === 0 ? 'no late write came' : `tokens refused ${count(refused, 'late write')}`;
  const sound = refused === 0 || broken.length > 0 ? late : `${late}, let none in`;
  const anew = broken.filter((cell) => hasFenceViolation(cell) === 0);
  const wrong = broken.filter((cell) => hasFenceViolation(cell) > 0);
  return [
    sound,
    ...(wrong.length === 0 ? [] : [staleWritesAccepted(wrong)]),
    ...(anew.length === 0 ? [] : [tokensRestarted(anew)]),
  ].join(', ');
}

function isBroken({ fenced }: CellWithFigures): boolean {
  return fenced === 'breaks';
}

function hasFenceViolation(cell: CellWithFigures): number {
  return totalOf([cell], 'stale') + totalOf([cell], 'lost');
}

function totalOf(cells: readonly CellWithFigures[], what: keyof Fence): number {
  return sum(cells.map(({ figures }) => figures.fencedUpdates?.[what] ?? 0));
}

/** What should have been refused. */
function staleWritesAccepted(cells: readonly CellWithFigures[]): string {
  const stale = totalOf(cells, 'stale');
  const lost = totalOf(cells, 'lost');
  const what = [
    ...(stale === 0 ? [] : [`${count(stale, 'late write')} let in`]),
    ...(lost === 0 ? [] : [`${count(lost, 'update')} lost in spite of them`]),
  ];
  return `${what.join(' and ')} ${under(cells)}`;
}

/** A later grant got no larger token: whom the resource refuses then may well be the holder, so no write is called late. */
function tokensRestarted(cells: readonly CellWithFigures[]): string {
  const refused = totalOf(cells, 'refused');
  const shut = refused === 0 ? '' : ` (${count(refused, 'write')} refused, the holder’s or not)`;
  return `tokens began anew ${under(cells)}${shut}`;
}
