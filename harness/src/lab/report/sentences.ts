import { deploymentOf, isControl } from '../../locks/index.ts';
import { NONE } from '../../simulator/index.ts';
import { type CellWithFigures, hasFigures } from '../evaluation/judge-lab-cell.ts';
import type { CellFigures, LabCell, LabReport } from '../evaluation/report.ts';
import { shownMs } from './html.ts';

type Fence = NonNullable<CellFigures['fencedUpdates']>;

/** One sentence for each backend: what an architect wants to know first. */
export function sentences(
  report: LabReport,
): readonly { readonly name: string; readonly text: string }[] {
  return report.columns.map(({ id }) => ({ name: id, text: `${sentenceOf(id, report)}.` }));
}

function sentenceOf(id: string, { cells, rows }: LabReport): string {
  const own = cells.filter(({ column }) => column === id);
  const measured = own.filter(hasFigures);
  const failed = failedOf(own);
  if (measured.length === 0) return failed ?? 'not tested';
  if (isControl(id)) return [lostWithout(measured), failed].filter(isPresent).join('; ');
  const tested = new Set(own.map(({ fault }) => fault));
  const skipped = rows.filter((fault) => fault !== NONE && !tested.has(fault)).length;
  return [safetyOf(measured, skipped), failed, fenceSummary(measured), outageOf(measured)]
    .filter(isPresent)
    .join('; ');
}

function isPresent(part: string | undefined): part is string {
  return part !== undefined;
}

/** The cells that could not be run. */
function failedOf(own: readonly LabCell[]): string | undefined {
  const failed = own.filter(({ figures }) => figures === null);
  const [first] = failed;
  if (first === undefined) return undefined;
  return `could not be run ${under(failed)}: ${first.reason ?? 'no reason given'}`;
}

function lostWithout(measured: readonly CellWithFigures[]): string {
  const lost = sum(measured.map(({ figures }) => figures.updates.lost));
  const accepted = sum(measured.map(({ figures }) => figures.updates.accepted));
  const what = `lost ${lost === 0 ? 'none' : lost} of ${count(accepted, 'update')}`;
  return lost === 0
    ? `${what}: nothing to compare with, so nothing is shown`
    : `${what}: the control, to compare with`;
}

function safetyOf(measured: readonly CellWithFigures[], skipped: number): string {
  const those = (outcome: LabCell['outcome']): readonly CellWithFigures[] =>
    measured.filter((cell) => cell.outcome === outcome);
  const [broken, late, nothing] = [those('breaks'), those('late'), those('nothing')];
  const two = broken.filter(({ figures }) => figures.validity.hits > 0);
  const lost = broken.filter(({ figures }) => figures.validity.hits === 0);
  return [
    two.length === 0 ? undefined : `two held at once ${under(two)}`,
    lost.length === 0 ? undefined : `an update was lost ${under(lost)}`,
    heldText([...those('holds'), ...late], measured),
    late.length === 0 ? undefined : `late holders ${under(late, 3)}`,
    nothing.length === 0 ? undefined : `nothing shown ${under(nothing)}`,
    skipped === 0 ? undefined : `${skipped} not run`,
  ]
    .filter(isPresent)
    .join(', ');
}

/** Contention is no fault: it counts only if nothing else was run. */
function heldText(kept: readonly LabCell[], measured: readonly LabCell[]): string | undefined {
  const [held, tested] = [faultsIn(kept), faultsIn(measured)];
  if (kept.length === 0) return undefined;
  if (held === 0) return 'held under contention';
  if (kept.length < measured.length)
    return `held under ${held === 1 ? 'one other' : `${held} others`}`;
  return tested === 1
    ? 'held under the one fault tested'
    : `held under all ${tested} faults tested`;
}

function faultsIn(cells: readonly LabCell[]): number {
  return cells.filter(({ fault }) => fault !== NONE).length;
}

/** The outage after a server died that the others replaced by themselves. */
function outageOf(measured: readonly CellWithFigures[]): string | undefined {
  for (const { fault, column, figures } of measured) {
    const { death, replaces } = deploymentOf(column)?.dial ?? {};
    if (fault !== death || replaces === undefined) continue;
    const { median, samples, unended } = figures.unavailableMs;
    if (samples === 0) return undefined;
    const when = `when the ${replaces} died`;
    const open = `${unended} of ${samples} clients until the trial ended`;
    if (median === null) return `${open} without service ${when}`;
    return `${shownMs(median)} without service ${when}${unended === 0 ? '' : `, ${open}`}`;
  }
  return undefined;
}

/** The effect of tokens on a resource that compares them, over all cells of one lock. */
function fenceSummary(measured: readonly CellWithFigures[]): string {
  const cells = measured.filter(({ figures }) => figures.fencedUpdates !== null);
  if (cells.length === 0) return 'no tokens';
  const broken = cells.filter(isBroken);
  const refused = totalOf(
    cells.filter((cell) => !isBroken(cell)),
    'refused',
  );
  const late =
    refused === 0 ? 'no late write came' : `tokens refused ${count(refused, 'late write')}`;
  const sound = refused === 0 || broken.length > 0 ? late : `${late}, accepted none`;
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

/** The writes that should have been refused. */
function staleWritesAccepted(cells: readonly CellWithFigures[]): string {
  const stale = totalOf(cells, 'stale');
  const lost = totalOf(cells, 'lost');
  const what = [
    ...(stale === 0 ? [] : [`${count(stale, 'late write')} accepted`]),
    ...(lost === 0 ? [] : [`${count(lost, 'update')} lost despite them`]),
  ];
  return `${what.join(' and ')} ${under(cells)}`;
}

/**
 * A later grant had no larger token: the client that the resource refuses may be the holder, so no write is called
 * late.
 */
function tokensRestarted(cells: readonly CellWithFigures[]): string {
  const refused = totalOf(cells, 'refused');
  const refusals =
    refused === 0 ? '' : ` (${count(refused, 'write')} refused, the holder’s or not)`;
  return `tokens restarted ${under(cells)}${refusals}`;
}

/** `under pause and failover`; for more names only their number, because the matrix below has them. */
function under(cells: readonly { readonly fault: string }[], namesMax = 5): string {
  const names = cells.map(({ fault }) => fault);
  return `under ${names.length > namesMax ? `${names.length} faults` : list(names)}`;
}

function count(number: number, what: string): string {
  return `${number} ${what}${number === 1 ? '' : 's'}`;
}

export function list(names: readonly string[]): string {
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}
