import type { OutcomeId } from '../draw/index.ts';
import { rowName } from '../matrix/index.ts';
import { formatClosing } from './format-closing.ts';
import { formatCost, formatCounts } from './format-cost.ts';
import { safetyHead, safetyRow } from './format-safety.ts';
import type { Paint } from './paint.ts';
import type { Cell, ComparedRun, Report } from './report.ts';
import { TERMINAL, wrapped } from './table.ts';

const LABEL = 27;

/** A whole report as text; the command prints the same rows one by one. */
export function formatReport(report: Report, paint: Paint): string {
  const lines = [
    ...report.runs.flatMap((run) => formatRun(run, paint)),
    ...formatClosing(report, paint),
  ];
  return `${lines.join('\n')}\n`;
}

function formatRun(run: ComparedRun, paint: Paint): string[] {
  const rows = run.rows.flatMap((row) =>
    safetyRow(
      run,
      row,
      run.safety.filter((cell) => rowName(cell) === rowName(row)),
      paint,
    ),
  );
  return [...safetyHead(run, paint), ...rows, ...formatEnd(run, paint)];
}

/** The text after the rows of the part Safety. */
export function formatEnd(run: ComparedRun, paint: Paint): string[] {
  const blocks = [
    formatCost(run, paint),
    formatCounts(run, paint),
    formatNotes(run, paint),
    formatStories(run, paint),
  ];
  return blocks.flatMap((block) => (block.length === 0 ? [] : ['', ...block])).concat('');
}

/** The stories to replay, by row: the minimal ones of cells that break as expected. */
export function formatStories({ rows, safety }: ComparedRun, paint: Paint): string[] {
  const lines = rows.flatMap((row) => {
    const cells = safety.filter((cell) => rowName(cell) === rowName(row));
    const names = [...new Set(cells.flatMap(({ stories = [] }) => stories))];
    if (names.length === 0) return [];
    const [first = '', ...rest] = wrapped(names.join(' '), LABEL, TERMINAL);
    const name = rowName(row);
    if (name.length >= LABEL) return [name, ' '.repeat(LABEL) + first, ...rest];
    return [name.padEnd(LABEL) + first, ...rest];
  });
  if (lines.length === 0) return [];
  const how = paint.dim('minimal schedules that show it: npx holdfast replay NAME');
  return [`${paint.bold('Stories')}  ${how}`, ...lines];
}

/** The notes of a run: why cells are empty or ringed, and the upper bound of the rate in clean cells. */
function formatNotes(run: ComparedRun, paint: Paint): string[] {
  const remarks = run.safety.flatMap((cell) => [
    ...remark(cell).flatMap((note) => wrapped(note, 2, TERMINAL)),
    ...replayHint(cell),
  ]);
  const others = [...rateBoundNote(run), ...(run.notes ?? [])].flatMap((note) =>
    wrapped(note, 2, TERMINAL),
  );
  return [...remarks, ...others].map((text) => paint.dim(text));
}

function remark(cell: Cell): string[] {
  const place = `${rowName(cell)} on ${cell.column}`;
  if (cell.reason !== undefined && isNoteworthy(cell)) return [`${place}: ${cell.reason}.`];
  if (!cell.unexpected) return [];
  const { expected, evidence } = cell;
  const wanted =
    expected === null
      ? 'a lock that does not break'
      : outcomeText(expected.outcome, expected.fenced);
  const example = evidence?.example === undefined ? '' : ` First seen: ${evidence.example}.`;
  return [`${place}: expected ${wanted}, got ${outcomeText(cell.outcome, cell.fenced)}.${example}`];
}

/** False for the empty cells of a simulated run: there are too many, and the matrix gives their reasons. */
function isNoteworthy({ how, outcome, unexpected }: Cell): boolean {
  return how === 'measured' || outcome === 'nothing' || unexpected;
}

/** The command on one line, so that it can be copied. */
function replayHint({ evidence, unexpected, outcome }: Cell): string[] {
  const isShown = unexpected && outcome !== 'nothing' && evidence?.replay !== undefined;
  return isShown ? [`  npx holdfast replay ${evidence.replay}`] : [];
}

function outcomeText(outcome: OutcomeId, fenced: OutcomeId): string {
  return fenced === 'n/a' ? outcome : `${outcome}, with fencing ${fenced}`;
}

/** "None in N" never means "never": at 95 % the rate is below 3/N (the rule of three). */
function rateBoundNote({ how, safety }: ComparedRun): string[] {
  const trials = safety
    .filter(
      ({ evidence, outcome }) =>
        how === 'simulated' && outcome !== 'nothing' && evidence?.validityViolated === 0,
    )
    .map(({ evidence }) => evidence?.trials ?? 0);
  if (trials.length === 0) return [];
  const n = Math.min(...trials);
  const percent = Number(((3 / n) * 100).toPrecision(2));
  return [
    `Where a lock holds: two valid leases at once in none of ${n} schedules per cell, at 95 % a rate below ${percent} %.`,
  ];
}
