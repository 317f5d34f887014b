import { OUTCOMES } from '../../draw/index.ts';
import { isControl } from '../../locks/index.ts';
import type { LabCell, LabReport } from '../evaluation/report.ts';
import { cellId, escaped, signTag, tag } from './html.ts';

/** The number of faults above which rows are narrow, so that they fit on a screen. */
const DENSE_ROWS = 16;

/**
 * The whole matrix: a glyph and a number in every cell, each a link to its details. A cell that was not run is blank.
 */
export function matrixTable(report: LabReport): string {
  const { columns, rows } = report;
  const names = columns.map(({ id }) => tag('th', { scope: 'col' }, headOf(id)));
  const head = [tag('th', { scope: 'col' }, '<span class="name">fault</span>'), ...names].join('');
  const body = rows.map((fault) => rowOf(report, fault)).join('\n');
  const classes = `matrix${rows.length > DENSE_ROWS ? ' dense' : ''}`;
  return `<div class="scroll"><table class="${classes}"><thead><tr>${head}</tr></thead><tbody>\n${body}\n</tbody></table></div>${legend(report)}`;
}

/** Lets a long name break at its slash. */
function headOf(id: string): string {
  const name = escaped(id).replace('/', '/<wbr>');
  return `<span class="name">${signTag(id)}${name}</span>`;
}

function rowOf({ columns, cells }: LabReport, fault: LabReport['rows'][number]): string {
  const entries = columns.map(({ id }) => {
    const cell = cells.find((each) => each.column === id && each.fault === fault);
    return tag('td', {}, cell === undefined ? '' : entryOf(cell));
  });
  return `<tr>${tag('th', { scope: 'row' }, escaped(fault))}${entries.join('')}</tr>`;
}

function entryOf(cell: LabCell): string {
  const { outcome, unexpected } = cell;
  const { glyph, meaning } = OUTCOMES[outcome];
  const content = [
    `<span class="glyph">${glyph}</span>`,
    `<span class="number">${numberOf(cell)}</span>`,
    fenceOf(cell),
  ];
  const classes = `${outcome === 'n/a' ? 'inert' : outcome}${unexpected ? ' ring' : ''}`;
  return tag(
    'a',
    { href: `#${cellId(cell)}`, class: classes, title: titleOf(cell, meaning) },
    content.join(''),
  );
}

/** The number of trials in which the outcome was seen, of all. */
function numberOf({ outcome, column, figures }: LabCell): string {
  if (figures === null) return '';
  const { validity, belief, updates } = figures;
  if (isControl(column)) return `${escaped(updates.lost)}<span class="word"> lost</span>`;
  const seen = outcome === 'late' ? belief : validity;
  return `${escaped(seen.hits)}/${escaped(seen.of)}`;
}

/** The result of the same trials for a resource that compares tokens. */
function fenceOf({ fenced, figures }: LabCell): string {
  if (figures === null || fenced === 'n/a') return '';
  const content = `<span class="word">fenced </span>${OUTCOMES[fenced].glyph}`;
  return tag('span', { class: `fence ${fenced}` }, content);
}

function titleOf({ unexpected, expected, reason, figures }: LabCell, meaning: string): string {
  const prefix = unexpected
    ? `not as expected (${expected?.outcome ?? 'nothing was expected'}): `
    : '';
  return `${prefix}${reason ?? meaning}. ${figures?.description ?? ''}`;
}

function legend({ cells }: LabReport): string {
  const isThere = (id: LabCell['outcome']): boolean => cells.some(({ outcome }) => outcome === id);
  const always = ['holds', 'late', 'breaks', 'nothing'] as const;
  const rare = (['inert', 'n/a'] as const).filter(isThere);
  const entries = [...always, ...rare].map((id) => `${OUTCOMES[id].glyph} ${OUTCOMES[id].meaning}`);
  return tag(
    'p',
    { class: 'legend' },
    escaped(
      `${entries.join(' · ')} · blank: not run · red ring: not as expected. Numbers: trials in which that was seen, of all; “fenced” (on a phone f): a resource that compares tokens.`,
    ),
  );
}
