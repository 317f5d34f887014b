import { mark, OUTCOMES } from '../../draw/index.ts';
import { isControl, signOf } from '../../locks/index.ts';
import { meaningOfFault } from '../../simulator/index.ts';
import { hasLocks } from '../evaluation/judge-lab-cell.ts';
import type { LabCell, LabReport } from '../evaluation/report.ts';
import { shownMs } from '../report/html.ts';
import { sentences } from '../report/sentences.ts';
import { formatCrossCheck } from './format-cross-check.ts';

const FAULT_WIDTH = 22;
const COLUMN_WIDTH = 24;

/** Formats one cell as a line, printed as soon as the cell is judged. */
export function formatCell({
  fault,
  column,
  outcome,
  unexpected,
  reason,
  figures,
}: LabCell): string {
  const head = `${mark(outcome, unexpected)} ${column.padEnd(COLUMN_WIDTH)}${fault.padEnd(FAULT_WIDTH)}`;
  if (figures === null || reason !== undefined) return `${head}${reason ?? ''}`;
  const { validity, belief, updates, unavailableMs } = figures;
  const seen =
    outcome === 'late'
      ? `${belief.hits}/${belief.of} late`
      : `${validity.hits}/${validity.of} broken`;
  const lost = `${updates.lost} of ${updates.accepted} updates lost`;
  const outage =
    unavailableMs.median === null ? '' : `, ${shownMs(unavailableMs.median)} without service`;
  return isControl(column) ? `${head}${lost}` : `${head}${seen}, ${lost}${outage}`;
}

/** Formats the summary that follows the lines of the cells. */
export function formatLab(report: LabReport): string {
  const summary = sentences(report).map(
    ({ name, text }) => `${signOf(name).glyph} ${name.padEnd(COLUMN_WIDTH)}${text}`,
  );
  const faults = report.rows.map(
    (fault) => `${fault.padEnd(COLUMN_WIDTH)}${meaningOfFault(fault)}`,
  );
  const notes = report.notes.map((note) => `Note: ${note}.`);
  return [
    '',
    ...summary,
    '',
    legend(),
    '',
    ...faults,
    '',
    ...notes,
    conclusion(report),
    ...(report.both === undefined ? [] : formatCrossCheck(report.both)),
  ].join('\n');
}

function legend(): string {
  const entries = (['holds', 'late', 'breaks', 'nothing'] as const).map(
    (id) => `${OUTCOMES[id].glyph} ${OUTCOMES[id].meaning}`,
  );
  return `${entries.join('   ')}   ringed: not as expected`;
}

function conclusion({ verdict, cells }: LabReport): string {
  const ringed = cells.filter(({ unexpected }) => unexpected).length;
  const conclusions: Readonly<Record<LabReport['verdict'], string>> = {
    'as-expected': `As expected in all ${cells.length} cells.`,
    unexpected: `Not as expected in ${ringed} of ${cells.length} cells.`,
    'proved-nothing': hasLocks(cells)
      ? 'This run proved nothing: without a lock no update was lost either.'
      : 'This run proved nothing: no lock was tested.',
  };
  return conclusions[verdict];
}
