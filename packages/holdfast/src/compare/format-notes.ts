import type { OutcomeId } from './notation.ts';
import type { Paint } from './paint.ts';
import type { Cell, Run } from './report.ts';
import { wrapped } from './table.ts';

/** What a reader of one run's tables has to know: why cells are empty or ringed, and what a clean one still allows. */
export function formatNotes(run: Run, paint: Paint): string[] {
  const notes = [...run.safety.flatMap(remark), ...bound(run)];
  return notes.flatMap((note) => wrapped(note, 2)).map((text) => paint.dim(text));
}

function remark(cell: Cell): string[] {
  const place = `${cell.fault} on ${cell.column}`;
  if (cell.reason !== undefined) return [`${place}: ${cell.reason}.`];
  if (!cell.unexpected) return [];
  const { expected, evidence } = cell;
  const wanted =
    expected === null ? 'a lock that does not break' : told(expected.outcome, expected.fenced);
  const example = evidence?.example === undefined ? '' : ` First seen: ${evidence.example}.`;
  return [`${place}: expected ${wanted}, got ${told(cell.outcome, cell.fenced)}.${example}`];
}

function told(outcome: OutcomeId, fenced: OutcomeId): string {
  return fenced === 'n/a' ? outcome : `${outcome}, with fencing ${fenced}`;
}

/** "None in N" never means "never": at 95 % the rate is below 3/N (the rule of three). */
function bound({ how, safety }: Run): string[] {
  const trials = safety
    .filter(({ evidence }) => how === 'simulated' && evidence?.validityViolated === 0)
    .map(({ evidence }) => evidence?.trials ?? 0);
  if (trials.length === 0) return [];
  const n = Math.min(...trials);
  const percent = Number(((3 / n) * 100).toPrecision(2));
  return [
    `Two valid leases at once: none in ${n} schedules a cell, at 95 % a rate below ${percent} %.`,
  ];
}
