import { OUTCOMES } from '../../draw/index.ts';
import type { CrossCheck, CrossCheckCell, CrossCheckClaim } from '../evaluation/cross-check.ts';
import {
  CLAIM_NAMES,
  conclusionOf,
  differencesIn,
  differenceText,
  foundText,
  nameOf,
  trialsText,
} from './cross-check-text.ts';
import { cellId, escaped, tag } from './html.ts';

/**
 * The comparison with the simulator: the differences and their reasons, then all verdicts. Empty if the simulator was
 * not run.
 */
export function crossCheckPart(both: CrossCheck | undefined): string {
  if (both === undefined) return '';
  const summary = tag('summary', {}, 'All that both judged');
  return [
    tag('p', {}, escaped(conclusionOf(both))),
    ...differences(both),
    tag('details', {}, `${summary}${table(both)}`),
  ].join('\n');
}

function differences(both: CrossCheck): readonly string[] {
  const items = [
    ...differencesIn(both).map(({ cell, claims }) => {
      const isKnown = claims.every((claim) => claim.isKnown);
      const difference = `<b>${link(cell, nameOf(cell))}</b> ${escaped(differenceText(claims))}.`;
      return tag(
        'li',
        {},
        isKnown ? difference : `${difference} <b>The matrix does not say why.</b>`,
      );
    }),
    ...both.known.map(({ cells, why, replay, occurred }) =>
      tag(
        'li',
        {},
        `${occurred ? 'Why' : 'Known, but not seen in this run'}, ${escaped(cells.join(', '))}: ${escaped(why)} <code>npx holdfast replay ${escaped(replay)}</code>`,
      ),
    ),
  ];
  return items.length === 0 ? [] : [tag('ul', {}, items.join('\n'))];
}

function table({ cells }: CrossCheck): string {
  const names = Object.values(CLAIM_NAMES).map((name) => `${name}: simulator, laboratory`);
  const head = ['fault', 'lock', ...names].map((name) => tag('th', { scope: 'col' }, name));
  const rows = cells.map((cell, n) => rowOf(cell, cells[n - 1]));
  return `<div class="scroll"><table class="both"><thead><tr>${head.join('')}</tr></thead><tbody>\n${rows.join('\n')}\n</tbody></table></div>`;
}

function rowOf(cell: CrossCheckCell, before: CrossCheckCell | undefined): string {
  const isFirst = before?.fault !== cell.fault || before.variant !== cell.variant;
  const { fault, variant } = cell;
  const row = isFirst ? `${fault}${variant === undefined ? '' : `, ${variant}`}` : '';
  const entries = [
    tag('th', { scope: 'row' }, escaped(row)),
    tag('td', {}, link(cell, cell.column)),
    ...Object.keys(CLAIM_NAMES).map((name) =>
      entryOf(cell.claims.find(({ claim }) => claim === name)),
    ),
  ];
  return tag('tr', { class: isFirst ? 'first' : undefined }, entries.join(''));
}

function link(cell: CrossCheckCell, text: string): string {
  return tag('a', { href: `#${cellId(cell)}` }, escaped(text));
}

/** Formats both results in words, because two glyphs would mean different things. */
function entryOf(claim: CrossCheckClaim | undefined): string {
  if (claim === undefined) return tag('td', {}, OUTCOMES['n/a'].glyph);
  const { simulator, laboratory, onlySeenBy, isKnown } = claim;
  const text = escaped(`${foundText(simulator)}, ${trialsText(laboratory)}`);
  if (onlySeenBy === null) return tag('td', {}, text);
  return tag(
    'td',
    { class: 'different' },
    isKnown ? `≠ ${text}` : `<span class="ring">≠ ${text}</span>`,
  );
}
