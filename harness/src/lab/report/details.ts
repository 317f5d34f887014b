import { isPicture, OUTCOMES, withoutUnused } from '../../draw/index.ts';
import { isControl } from '../../locks/index.ts';
import type { CellFigures, LabCell, LabReport, Phase, Rate, Spread } from '../evaluation/report.ts';
import { cellId, escaped, hasTail, shownMs, signTag, tag } from './html.ts';

/** The details of each cell: figures, and the worst trial as a picture. */
export function details({ cells }: LabReport): string {
  return cells.map(detailOf).join('\n');
}

function detailOf(cell: LabCell): string {
  const { fault, column, outcome, figures, reason, timeline } = cell;
  const head = `${OUTCOMES[outcome].glyph} ${column}, ${fault}`;
  const description = figures === null ? (reason ?? '') : figures.description;
  const summary = `${signTag(column)}<b>${escaped(head)}</b> <span class="soft">${escaped(description)}</span>`;
  const content = [
    reason === undefined ? '' : tag('p', {}, escaped(reason)),
    figures === null ? '' : figuresTable(figures),
    figures?.example === undefined ? '' : tag('p', {}, escaped(figures.example)),
    // The control has no leases to draw.
    timeline === undefined || isControl(column)
      ? ''
      : picture(`${head}: the worst trial over time`, timeline),
    ...storyParts(cell),
  ];
  // The target is inside: a browser opens what hides the target of a link, but not a closed target itself.
  const target = tag('div', { id: cellId(cell), class: 'cell' }, content.join('\n'));
  return tag('details', {}, `${tag('summary', {}, summary)}\n${target}`);
}

/** The story of the same fault in the simulator. */
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
  const heading = ofAnother
    ? simulated(
        'a story that breaks another lock under this fault, run on this one',
        `replay ${name} --on all`,
      )
    : simulated('the smallest story in which this fault breaks it', `replay ${name}`);
  return [heading, picture(`${column}, ${fault}: the story ${name}`, drawing)];
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
    [
      'trials in which one client held and another waited',
      `${figures.effective} of ${figures.trials}`,
    ],
    ['two valid leases at once', rateText(validity)],
    ['two clients at work at once', rateText(belief)],
    [
      'an update lost, resource accepts every write',
      `${rateText(unfenced)}; ${updates.lost} of ${updates.accepted} updates`,
    ],
    ['… resource compares tokens', fencedText(fenced, fencedUpdates)],
    ['acquisitions and releases of unknown outcome', shareText(figures.indeterminate)],
    ['next holder, after the fault', spreadText(figures.handoverMs)],
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

/** Formats a rate per thousand trials, with its interval, which shows how little a few trials say. */
function rateText({ hits, of, interval }: Rate): string {
  if (of === 0) return '–';
  const range = `95 %: ${thousand(interval.low)} to ${thousand(interval.high)}`;
  return `${hits} of ${of} trials, ${thousand(hits / of)} per 1 000 (${range})`;
}

/** Formats a rate of operations, not of trials. */
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
  // If tokens restarted, the refused client may be the holder.
  const refused = fenced.hits === 0 ? 'late writes refused' : 'writes refused';
  return `${rateText(fenced)}; ${updates.refused} ${refused}, ${updates.stale} late ones accepted`;
}

function spreadText(spread: Spread): string {
  const { samples, unended, median, p95, max } = spread;
  if (samples === 0) return '–';
  const open = unended === 0 ? '' : `; ${unended} of ${samples} not before the trial ended`;
  if (median === null) return `not before the trial ended (${unended} of ${samples})`;
  const tail = hasTail(spread) ? `p95 ${shownMs(p95)}, ` : '';
  return `median ${shownMs(median)}, ${tail}longest of ${samples} ${shownMs(max)}${open}`;
}

function phaseText(phases: CellFigures['phases'], shown: (phase: Phase) => string): string {
  return [phases.before, phases.during, phases.after].map(shown).join(', ');
}

function number(value: number | null): string {
  return value === null ? '–' : `${Math.round(value)}`;
}

/** Embeds a picture as an image, so that its style sheet does not mix with that of the page. A picture that Holdfast did not
 * draw is left out, with a note. */
export function picture(alternative: string, svg: string): string {
  if (!isPicture(svg))
    return tag(
      'p',
      { class: 'soft' },
      `${escaped(alternative)}: left out, because Holdfast did not draw it`,
    );
  return `<img loading="lazy" alt="${escaped(alternative)}" src="${dataUri(light(svg))}">`;
}

/** Encodes an SVG as a readable data URI, which base64 would make half as long again. Double quotes become single quotes
 * where the value contains none. */
function dataUri(svg: string): string {
  const text = svg
    .replaceAll(/="([^"']*)"/g, "='$1'")
    .replaceAll('%', '%25')
    .replaceAll('#', '%23')
    .replaceAll('"', '%22')
    .replaceAll('&', '&amp;');
  return `data:image/svg+xml;charset=utf-8,${text}`;
}

/** Removes what an image does not show or use: a page has a hundred pictures. */
function light(svg: string): string {
  return withoutUnused(
    svg.replaceAll('\n', '').replaceAll(/<(title|desc)[ >].*?<\/\1>| aria-labelledby="[^"]*"/g, ''),
  );
}
