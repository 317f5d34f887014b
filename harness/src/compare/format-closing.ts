import { OUTCOMES, type OutcomeId } from '../draw/index.ts';
import { FAULT_IDS, meaningOfFault } from '../simulator/index.ts';
import type { Paint } from './paint.ts';
import type { ComparedRun, Report, ReportVerdict } from './report.ts';
import { TERMINAL, wrapped } from './table.ts';

const NAME_WIDTH = 25;

/** The text below the tables: legend, meanings, conclusion. */
export function formatClosing(report: Report, paint: Paint): string[] {
  return [
    ...legend(report, paint),
    '',
    ...columnMeanings(report.runs, paint),
    '',
    ...faultMeanings(report.runs, paint),
    '',
    ...conclusion(report).map((text) => paint.bold(text)),
  ];
}

function legend({ runs }: Report, paint: Paint): string[] {
  const entryOf = (id: OutcomeId, meaning: string = OUTCOMES[id].meaning): string =>
    `${paint.mark(id, false).trim()} ${meaning}`;
  const ringed = `${paint.mark('breaks', true)} ringed: not as expected`;
  return [
    [entryOf('holds'), entryOf('late')].join('   '),
    [entryOf('breaks'), entryOf('inert', 'inert or not applicable'), entryOf('nothing')].join(
      '   ',
    ),
    ...(runs.some(({ how }) => how === 'simulated') ? [pair(paint)] : []),
    ringed,
  ];
}

/** Explains the two glyphs in a cell of the matrix. */
function pair(paint: Paint): string {
  const two = `${paint.mark('breaks', false).trim()} ${paint.mark('holds', false).trim()}`;
  return `${two} the lock broken, a resource that compares tokens safe; one glyph: no tokens`;
}

function columnMeanings(runs: readonly ComparedRun[], paint: Paint): string[] {
  const columns = new Map(runs.flatMap((run) => run.columns.map((each) => [each.id, each])));
  return [...columns.values()].flatMap(({ id, meaning }) => entry(id, meaning, paint));
}

function faultMeanings(runs: readonly ComparedRun[], paint: Paint): string[] {
  const shown = new Set(runs.flatMap((run) => run.rows.map(({ fault }) => fault)));
  return FAULT_IDS.filter((fault) => shown.has(fault)).flatMap((fault) =>
    entry(fault, meaningOfFault(fault), paint),
  );
}

function entry(name: string, meaning: string, paint: Paint): string[] {
  const [first = '', ...rest] = wrapped(meaning, NAME_WIDTH, TERMINAL);
  const margin = ' '.repeat(Math.max(1, NAME_WIDTH - name.length));
  return [`${paint.bold(name)}${margin}${first}`, ...rest];
}

function conclusion({ verdict, runs }: Report): string[] {
  const cells = runs.flatMap((run) => run.safety);
  const ringed = cells.filter((each) => each.unexpected).length;
  const played = cells.filter(({ outcome }) => outcome !== 'inert' && outcome !== 'n/a').length;
  const rest = cells.length - played;
  const conclusions: Readonly<Record<ReportVerdict, string>> = {
    'as-expected': `As expected in all ${played} cells that were run.`,
    unexpected: `Not as expected in ${ringed} of ${played} cells that were run.`,
    'proved-nothing': 'This run proved nothing: without a lock no update was lost either.',
  };
  const unplayed = `In ${rest} more the fault cannot matter, or does not apply.`;
  return [conclusions[verdict], ...(rest === 0 || verdict === 'proved-nothing' ? [] : [unplayed])];
}
