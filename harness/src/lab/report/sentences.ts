import { deploymentOf, isControl } from '../../locks/index.ts';
import { type CellWithFigures, hasFigures } from '../evaluation/judge-lab-cell.ts';
import type { CellFigures, LabCell, LabReport } from '../evaluation/report.ts';
import { shownMs } from './html.ts';

type Fence = NonNullable<CellFigures['fencedUpdates']>;

/** What an architect wants to know of each backend first, in one sentence. */
export function sentences(
  report: LabReport,
): readonly { readonly name: string; readonly text: string }[] {
  return report.columns.map(({ id }) => ({ name: id, text: `${sentenceOf(id, report)}.` }));
}

function sentenceOf(id: string, { cells, rows }: LabReport): string {
  const own = cells.filter(({ column }) => column === id);
  const played = own.filter(hasFigures);
  const failed = failedOf(own);
  if (played.length === 0) return failed ?? 'not tried';
  if (isControl(id)) return [lostWithout(played), failed].filter(isPresent).join('; ');
  const tried = new Set(own.map(({ fault }) => fault));
  const untried = rows.filter((fault) => fault !== 'none' && !tried.has(fault)).length;
  return [safetyOf(played, untried), failed, fenceSummary(played), outageOf(played)]
    .filter(isPresent)
    .join('; ');
}

function isPresent(part: string | undefined): part is string {
  return part !== undefined;
}

/** What was to be played and was not. */
function failedOf(own: readonly LabCell[]): string | undefined {
  const failed = own.filter(({ figures }) => figures === null);
  const [first] = failed;
  if (first === undefined) return undefined;
  return `could not be played ${under(failed)}: ${first.reason ?? 'nobody said why'}`;
}

function lostWithout(played: readonly CellWithFigures[]): string {
  const lost = sum(played.map(({ figures }) => figures.updates.lost));
  const accepted = sum(played.map(({ figures }) => figures.updates.accepted));
  const what = `lost ${lost === 0 ? 'none' : lost} of ${count(accepted, 'update')}`;
  return lost === 0
    ? `${what}: with nothing to compare with, nothing is shown`
    : `${what}: the control, against which all else is to be seen`;
}

function safetyOf(played: readonly CellWithFigures[], untried: number): string {
  const those = (outcome: LabCell['outcome']): readonly CellWithFigures[] =>
    played.filter((cell) => cell.outcome === outcome);
  const [broken, late, nothing] = [those('breaks'), those('late'), those('nothing')];
  const two = broken.filter(({ figures }) => figures.validity.hits > 0);
  const lost = broken.filter(({ figures }) => figures.validity.hits === 0);
  return [
    two.length === 0 ? undefined : `two held at once ${under(two)}`,
    lost.length === 0 ? undefined : `an update was lost ${under(lost)}`,
    heldText([...those('holds'), ...late], played),
    late.length === 0 ? undefined : `late holders ${under(late, 3)}`,
    nothing.length === 0 ? undefined : `nothing shown ${under(nothing)}`,
    untried === 0 ? undefined : `${untried} not tried`,
  ]
    .filter(isPresent)
    .join(', ');
}

/** Contention is no fault: it counts only where nothing else was tried. */
function heldText(kept: readonly LabCell[], played: readonly LabCell[]): string | undefined {
  const [held, tried] = [faultsIn(kept), faultsIn(played)];
  if (kept.length === 0) return undefined;
  if (held === 0) return 'held under contention';
  if (kept.length < played.length)
    return `held under ${held === 1 ? 'one other' : `${held} others`}`;
  return tried === 1 ? 'held under the one fault tried' : `held under all ${tried} faults tried`;
}

function faultsIn(cells: readonly LabCell[]): number {
  return cells.filter(({ fault }) => fault !== 'none').length;
}

/** Only where somebody else than us put the next server in its place: which one it was. */
function replacedOn(column: string): string | undefined {
  return deploymentOf(column)?.dial?.replaces;
}

function outageOf(played: readonly CellWithFigures[]): string | undefined {
  const cell = played.find(
    ({ fault, column }) => fault === 'failover' && replacedOn(column) !== undefined,
  );
  if (cell === undefined) return undefined;
  const { median, samples, unended } = cell.figures.unavailableMs;
  if (samples === 0) return undefined;
  const when = `when the ${replacedOn(cell.column) ?? 'server'} died`;
  const open = `${unended} of ${samples} clients for longer than we looked`;
  if (median === null) return `${open} without service ${when}`;
  return `${shownMs(median)} without service ${when}${unended === 0 ? '' : `, ${open}`}`;
}

/** What tokens did for a resource that compares them, in all that was played of one lock. */
function fenceSummary(played: readonly CellWithFigures[]): string {
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

/** `under pause and failover`; of more names than that under how many faults: the matrix below has them. */
export function under(cells: readonly { readonly fault: string }[], namesMax = 5): string {
  const names = cells.map(({ fault }) => fault);
  return `under ${names.length > namesMax ? `${names.length} faults` : list(names)}`;
}

export function count(number: number, what: string): string {
  return `${number} ${what}${number === 1 ? '' : 's'}`;
}

export function list(names: readonly string[]): string {
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}

export function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}
