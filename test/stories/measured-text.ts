import { type CellFigures, type LabReport, shownMs } from '../../harness/test/kit/lab.ts';

export type Rate = CellFigures['validity'];
export type Spread = CellFigures['handoverMs'];

export function fencedText(rate: Rate | null): string {
  return rate === null ? '– (no tokens)' : rateText(rate);
}

/** `3 of 6 (19 to 81 %)`: Wilson, at 95 %. */
export function rateText({ hits, of, interval: { low, high } }: Rate): string {
  return `${hits === 0 ? 'none' : hits} of ${of} (${percent(low)} to ${percent(high)} %)`;
}

function percent(share: number): number {
  return Math.round(share * 100);
}

/** The interval has no upper end where the median may lie beyond what was looked at. */
export function medianText(spread: Spread | undefined): string {
  if (spread === undefined || spread.median === null) return 'longer than anybody looked';
  const { median, interval } = spread;
  if (interval === undefined || interval === null || interval.low === null) return shownMs(median);
  return interval.high === null
    ? `${shownMs(median)} (${shownMs(interval.low)} or more)`
    : `${shownMs(median)} (${shownMs(interval.low)} to ${shownMs(interval.high)})`;
}

export function longestText(spread: Spread | undefined): string {
  if (spread === undefined || spread.unended === 0) return shownMs(spread?.max ?? null);
  return `longer than anybody looked, in ${spread.unended} of ${spread.samples}`;
}

/** A measure, and its value in each column. */
export type Asked<Name> = Readonly<Record<string, (name: Name) => string>>;

export function tableOf(names: readonly string[], rows: Asked<string>): string {
  const head = ['', ...names];
  const body = Object.entries(rows).map(([asked, cell]) => [asked, ...names.map(cell)]);
  return [head, head.map(() => '---'), ...body].map(line).join('\n');
}

export function line(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}

/** The command that plays the part of the run that a table shows. */
export function again({ settings: { trials } }: LabReport, options: string): string {
  const chosen = options === '' ? '' : `${options} `;
  return `Measure again: \`npx holdfast compare --servers local ${chosen}--trials ${trials}\``;
}
