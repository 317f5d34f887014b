import type { CellFigures } from '../evaluation/report.ts';
import type { Figured } from './figured.ts';
import { count, sum, under } from './words.ts';

type Fence = NonNullable<CellFigures['fencedUpdates']>;

/** What tokens did for a resource that compares them, in all that was played of one lock. */
export function fenceOf(played: readonly Figured[]): string {
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
  const anew = broken.filter((cell) => wronged(cell) === 0);
  const wrong = broken.filter((cell) => wronged(cell) > 0);
  return [
    sound,
    ...(wrong.length === 0 ? [] : [letIn(wrong)]),
    ...(anew.length === 0 ? [] : [begunAnew(anew)]),
  ].join(', ');
}

function isBroken({ fenced }: Figured): boolean {
  return fenced === 'breaks';
}

function wronged(cell: Figured): number {
  return totalOf([cell], 'stale') + totalOf([cell], 'lost');
}

function totalOf(cells: readonly Figured[], what: keyof Fence): number {
  return sum(cells.map(({ figures }) => figures.fencedUpdates?.[what] ?? 0));
}

/** What should have been refused. */
function letIn(cells: readonly Figured[]): string {
  const stale = totalOf(cells, 'stale');
  const lost = totalOf(cells, 'lost');
  const what = [
    ...(stale === 0 ? [] : [`${count(stale, 'late write')} let in`]),
    ...(lost === 0 ? [] : [`${count(lost, 'update')} lost in spite of them`]),
  ];
  return `${what.join(' and ')} ${under(cells)}`;
}

/** A later grant got no larger token: whom the resource refuses then may well be the holder, so no write is called late. */
function begunAnew(cells: readonly Figured[]): string {
  const refused = totalOf(cells, 'refused');
  const shut = refused === 0 ? '' : ` (${count(refused, 'write')} refused, the holder’s or not)`;
  return `tokens began anew ${under(cells)}${shut}`;
}
