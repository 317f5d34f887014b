import { isPicture, OUTCOMES, withoutUnused } from '../../draw/index.ts';
import { isControl } from '../../locks/index.ts';
import type { CellFigures, LabCell, LabReport, Phase, Rate, Spread } from '../evaluation/report.ts';
import { cellId, escaped, hasTail, shownMs, signed, tag } from './html.ts';

/** What happened in each cell: figures, and the worst trial as a picture. */
export function details({ cells }: LabReport): string {
  return cells.map(detailOf).join('\n');
}

function detailOf(cell: LabCell): string {
  const { fault, column, outcome, figures, reason, timeline } = cell;
  const head = `${OUTCOMES[outcome].glyph} ${column}, ${fault}`;
  const told = figures === null ? (reason ?? '') : figures.told;
  const summary = `${signed(column)}<b>${escaped(head)}</b> <span class="soft">${escaped(told)}</span>`;
  const content = [
    reason === undefined ? '' : tag('p', {}, escaped(reason)),
    figures === null ? '' : figuresTable(figures),
    figures?.example === undefined ? '' : tag('p', {}, escaped(figures.example)),
    // Without leases there is none to be seen broken.
    timeline === undefined || isControl(column)
      ? ''
      : picture(`${head}: the worst strike over time`, timeline),
    ...storyParts(cell),
  ];
  // Inside, for a browser opens what hides the target of a link, and not a target that is closed itself.
  const target = tag('div', { id: cellId(cell), class: 'cell' }, content.join('\n'));
  return tag('details', {}, `${tag('summary', {}, summary)}\n${target}`);
}

/** The same fault in the simulator. */
function storyParts({ column, fault, story }: LabCell): readonly string[] {
  const [backend = ''] = column.split('/');
  if (isControl(backend)) return [];
  if (story === undefined)
    return [
      simulated(
        'no story of this fault breaks any lock here; to search for one',
        `find ${backend} --fault ${fault}`,
      ),
    ];
  const { name, ofAnother, drawing } = story;
  const told = ofAnother
    ? simulated(
        'what breaks another lock under this fault, played on this one',
        `replay ${name} --on all`,
      )
    : simulated('the smallest story in which this fault breaks it', `replay ${name}`);
  return [told, picture(`${column}, ${fault}: the story ${name}`, drawing)];
}

function simulated(what: string, command: string): string {
  return tag(
    'p',
    { class: 'story' },
    `<b>Simulated</b> ${what}: <code>npx holdfast ${escaped(command)}</code>`,
  );
}

function figuresTable(figures: CellFigures): string {
  const { validity, belief, unfenced, fenced, fencedUpdates, updates, phases } = figures;
  const rows: readonly (readonly [string, string])[] = [
    ['strikes in which one held and another waited', `${figures.effective} of ${figures.trials}`],
    ['two valid leases at once', rateText(validity)],
    ['two at work at once', rateText(belief)],
    [
      'an update lost, resource takes every write',
      `${rateText(unfenced)}; ${updates.lost} of ${updates.accepted} updates`,
    ],
    ['… resource compares tokens', fencedText(fenced, fencedUpdates)],
    ['acquisitions and releases of unknown outcome', shareText(figures.indeterminate)],
    ['next holder, after the strike', spreadText(figures.handoverMs)],
    ['healthy clients not served for', spreadText(figures.unavailableMs)],
    ['healthy clients that lost their lease', lossText(figures)],
    [
      'acquisitions per s, all probes: before, during, after',
      phaseText(phases, ({ perS }) => number(perS)),
    ],
    ['to acquire, p50: before, during, after', phaseText(phases, ({ p50Ms }) => shownMs(p50Ms))],
    ['to acquire, p99: before, during, after', phaseText(phases, ({ p99Ms }) => shownMs(p99Ms))],
  ];
  const body = rows.map(
    ([name, value]) => `<tr><th scope="row">${name}</th><td>${escaped(value)}</td></tr>`,
  );
  return `<div class="scroll"><table class="figures"><tbody>${body.join('')}</tbody></table></div>`;
}

/** Per thousand strikes, with its interval: a rate from few strikes says little, and has to say so. */
function rateText({ hits, of, interval }: Rate): string {
  if (of === 0) return '–';
  const range = `95 %: ${thousand(interval.low)} to ${thousand(interval.high)}`;
  return `${hits} of ${of} strikes, ${thousand(hits / of)} per 1 000 (${range})`;
}

/** Of operations, not of strikes. */
function shareText({ hits, of, interval }: Rate): string {
  if (of === 0) return '–';
  return `${hits} of ${of} (95 %: ${percent(interval.low)} to ${percent(interval.high)} %)`;
}

function percent(share: number): string {
  return (share * 100).toFixed(1);
}

function lossText({ falseLosses, givenUp }: CellFigures): string {
  return falseLosses === undefined ? `${givenUp}` : rateText(falseLosses);
}

function thousand(share: number): string {
  return `${Math.round(share * 1_000)}`;
}

function fencedText(fenced: Rate | null, updates: CellFigures['fencedUpdates']): string {
  if (fenced === null || updates === null) return 'it has no tokens';
  // Where tokens began anew it may be the holder that is refused.
  const refused = fenced.hits === 0 ? 'late writes refused' : 'writes refused';
  return `${rateText(fenced)}; ${updates.refused} ${refused}, ${updates.stale} late ones let in`;
}

function spreadText(spread: Spread): string {
  const { samples, unended, median, p95, max } = spread;
  if (samples === 0) return '–';
  const open = unended === 0 ? '' : `; ${unended} of ${samples} not while we looked`;
  if (median === null) return `not while we looked (${unended} of ${samples})`;
  const tail = hasTail(spread) ? `p95 ${shownMs(p95)}, ` : '';
  return `median ${shownMs(median)}, ${tail}longest of ${samples} ${shownMs(max)}${open}`;
}

function phaseText(phases: CellFigures['phases'], shown: (phase: Phase) => string): string {
  return [phases.before, phases.during, phases.after].map(shown).join(', ');
}

function number(value: number | null): string {
  return value === null ? '–' : `${Math.round(value)}`;
}

/** As an image, whose style sheet cannot meet that of the page. What Holdfast did not draw is left out, and said to be. */
export function picture(alternative: string, svg: string): string {
  if (!isPicture(svg))
    return tag('p', { class: 'soft' }, `${escaped(alternative)}: left out, no drawing of ours`);
  return `<img loading="lazy" alt="${escaped(alternative)}" src="${dataUri(light(svg))}">`;
}

/** Legible, and half as long again in base64: quotes are turned where nothing stands between them that they would end. */
function dataUri(svg: string): string {
  const text = svg
    .replaceAll(/="([^"']*)"/g, "='$1'")
    .replaceAll('%', '%25')
    .replaceAll('#', '%23')
    .replaceAll('"', '%22')
    .replaceAll('&', '&amp;');
  return `data:image/svg+xml;charset=utf-8,${text}`;
}

/** Without what an image does not tell, and what it does not use: a page has a hundred. */
function light(svg: string): string {
  return withoutUnused(
    svg.replaceAll('\n', '').replaceAll(/<(title|desc)[ >].*?<\/\1>| aria-labelledby="[^"]*"/g, ''),
  );
}
