import { OUTCOMES } from '@holdfast/check';
import type { LabCell, LabReport } from '../evaluation/report.ts';
import { cellId, escaped, tag } from './html.ts';

/** The whole matrix: glyph and number in every cell, each a link to what happened. */
export function matrixTable(report: LabReport): string {
  const head = [
    tag('th', { scope: 'col' }, 'fault'),
    ...report.columns.map(({ id }) => tag('th', { scope: 'col' }, escaped(id))),
  ].join('');
  const rows = report.rows.map((fault) => rowOf(report, fault)).join('\n');
  return `<div class="scroll"><table class="matrix"><thead><tr>${head}</tr></thead><tbody>\n${rows}\n</tbody></table></div>${legend()}`;
}

function rowOf({ columns, cells }: LabReport, fault: LabReport['rows'][number]): string {
  const entries = columns.map(({ id }) => {
    const cell = cells.find((each) => each.column === id && each.fault === fault);
    return tag('td', {}, cell === undefined ? '<span class="none">–</span>' : entryOf(cell));
  });
  return `<tr>${tag('th', { scope: 'row' }, fault)}${entries.join('')}</tr>`;
}

function entryOf(cell: LabCell): string {
  const { outcome, unexpected } = cell;
  const { glyph, meaning } = OUTCOMES[outcome];
  const fence = fenceOf(cell);
  const content = `<span class="glyph" style="padding:0">${glyph}</span><span class="number" style="padding:0">${numberOf(cell)}</span>${fence}`;
  const classes = `${outcome === 'n/a' ? 'inert' : outcome}${unexpected ? ' ring' : ''}`;
  return tag(
    'a',
    { href: `#${cellId(cell)}`, class: classes, title: titleOf(cell, meaning) },
    content,
  );
}

/** Of so many strikes, in how many what the glyph says was seen. */
function numberOf({ outcome, column, figures }: LabCell): string {
  if (figures === null) return '';
  const { validity, belief, updates } = figures;
  if (column === 'no-lock') return `${updates.lost} lost`;
  const seen = outcome === 'late' ? belief : validity;
  return `${seen.hits}/${seen.of}`;
}

/** What the same strikes did to a resource that compares tokens. */
function fenceOf({ fenced, figures }: LabCell): string {
  if (figures === null || fenced === 'n/a') return '';
  const { glyph } = OUTCOMES[fenced];
  return `<span class="fence soft" style="padding:0 0 0 6px">fenced ${glyph}</span>`;
}

function titleOf({ unexpected, expected, reason, figures }: LabCell, meaning: string): string {
  const said = unexpected ? `not as expected (${expected?.outcome ?? 'nothing was stated'}): ` : '';
  return `${said}${reason ?? meaning}. ${figures?.told ?? ''}`;
}

function legend(): string {
  const told = (['holds', 'late', 'breaks', 'nothing'] as const).map(
    (id) => `${OUTCOMES[id].glyph} ${OUTCOMES[id].meaning}`,
  );
  return tag(
    'p',
    { class: 'legend' },
    escaped(
      `${told.join(' · ')} · – not tried · red ring: not as expected. Numbers: strikes in which that was seen, of all; “fenced”: a resource that compares tokens.`,
    ),
  );
}
