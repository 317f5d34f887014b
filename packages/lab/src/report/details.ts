import { OUTCOMES } from '@holdfast/check';
import type { CellFigures, LabCell, LabReport, Phase, Rate, Spread } from '../evaluation/report.ts';
import { cellId, escaped, shownMs, tag } from './html.ts';
import { picture } from './picture.ts';

/** What happened in each cell: figures, and the worst trial as a picture. */
export function details({ cells }: LabReport): string {
  return cells.map(detailOf).join('\n');
}

function detailOf(cell: LabCell): string {
  const { fault, column, outcome, figures, reason, timeline } = cell;
  const head = `${OUTCOMES[outcome].glyph} ${column}, ${fault}`;
  const told = figures === null ? (reason ?? '') : figures.told;
  const content = [
    tag('summary', {}, `<b>${escaped(head)}</b> <span class="soft">${escaped(told)}</span>`),
    reason === undefined ? '' : tag('p', {}, escaped(reason)),
    figures === null ? '' : figuresTable(figures),
    figures?.example === undefined ? '' : tag('p', {}, escaped(figures.example)),
    // Without leases there is none to be seen broken.
    timeline === undefined || column === 'no-lock'
      ? ''
      : picture(`${head}: the worst strike over time`, timeline),
    ...storyParts(cell),
  ];
  return tag('details', { id: cellId(cell) }, content.join('\n'));
}

/** The same fault in the simulator. */
function storyParts({ column, fault, story }: LabCell): readonly string[] {
  const [backend = ''] = column.split('/');
  if (backend === 'no-lock') return [];
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
    [
      'acquisitions of unknown outcome',
      `${figures.indeterminate.hits} of ${figures.indeterminate.of}`,
    ],
    ['next holder, after the strike', spreadText(figures.handoverMs)],
    ['healthy clients not served for', spreadText(figures.unavailableMs)],
    ['leases given up by healthy clients', `${figures.givenUp}`],
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

function thousand(share: number): string {
  return `${Math.round(share * 1_000)}`;
}

function fencedText(fenced: Rate | null, updates: CellFigures['fencedUpdates']): string {
  if (fenced === null || updates === null) return 'it has no tokens';
  return `${rateText(fenced)}; ${updates.refused} late writes refused, ${updates.stale} accepted`;
}

function spreadText({ samples, unended, median, p95, max }: Spread): string {
  if (samples === 0) return '–';
  const open = unended === 0 ? '' : `; ${unended} of ${samples} not while we looked`;
  if (median === null) return `not while we looked (${unended} of ${samples})`;
  return `median ${shownMs(median)}, p95 ${shownMs(p95)}, max ${shownMs(max)}${open}`;
}

function phaseText(phases: CellFigures['phases'], shown: (phase: Phase) => string): string {
  return [phases.before, phases.during, phases.after].map(shown).join(', ');
}

function number(value: number | null): string {
  return value === null ? '–' : `${Math.round(value)}`;
}
