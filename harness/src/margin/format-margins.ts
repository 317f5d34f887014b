import { line, printed, wrapped } from '../compare/table.ts';
import { lockNamed } from '../locks/index.ts';
import type { LeaseMargins } from './measure-margins.ts';

/** One lock with its measurements. */
export interface Margin {
  readonly lock: string;
  readonly measured: LeaseMargins;
}

const HEADS = ['leases', 'least', '1 %', 'median', '99 %', 'most', 'median/ttl', 'servers first'];
const WIDTHS = { label: 14, cell: 11 };
/** No measurement is finer than this: the step of a clock. */
const DIGITS = 1;

/** The meaning of the table, in one paragraph. */
const MEANING =
  'The safety margin of each lock: for every lease that expired, the time from when its holder knew of the end, by its own clock, to when the servers could first have granted the key to another client. In ms of true time, with every clock off by up to half a percent, under every fault that the lock is expected to tolerate.';
const EARLY_GRANT_NOTE =
  'Servers first: leases that the servers could grant to another client while the holder still believed, rightly by its own judgement. An honest lock has none.';

/** For a terminal. */
export function formatMargins(margins: readonly Margin[]): readonly string[] {
  const rows = margins.map(({ lock, measured }) =>
    line(
      printed(lock),
      cellsOf(measured).map((cell) => printed(cell)),
      WIDTHS,
    ),
  );
  const head = line(
    printed('margin in ms'),
    HEADS.map((each) => printed(each)),
    WIDTHS,
  );
  return [
    ...wrapped(MEANING, 0),
    '',
    head,
    ...rows,
    '',
    ...wrapped(EARLY_GRANT_NOTE, 0),
    ...notesOn(margins).flatMap((note) => wrapped(note, 0)),
  ];
}

/** `docs/evidence/safety-margin.md`. */
export function marginPage(margins: readonly Margin[], made: string): string {
  const rows = margins.map(({ lock, measured }) => row([lock, ...cellsOf(measured)]));
  return (
    [
      '# Safety margins',
      `<!-- Made by \`npx holdfast margin\`; ${made} writes it. -->`,
      MEANING,
      [row(['lock', ...HEADS]), row(['---', ...HEADS.map(() => '---:')]), ...rows].join('\n'),
      EARLY_GRANT_NOTE,
      ...notesOn(margins),
      'Leases that the holder released itself, once it knew that they were over, are left out: it no longer believes in them. Measured in the simulator, where both instants are known exactly; `npx holdfast margin --budget N` plays more.',
      '',
    ]
      .join('\n\n')
      .trimEnd() + '\n'
  );
}

function row(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}

function notesOn(margins: readonly Margin[]): readonly string[] {
  return margins.flatMap(({ lock }) => lockNamed(lock)?.margin?.note ?? []);
}

function cellsOf(measured: LeaseMargins): readonly string[] {
  const { ranOut, ttlMs, violations } = measured;
  const quantiles = quantilesOf(measured);
  const first = `${violations.length}`;
  if (quantiles === undefined) return ['0', '–', '–', '–', '–', '–', '–', first];
  const { least, rare, median, common, most } = quantiles;
  const values = [least, rare, median, common, most].map((ms) => ms.toFixed(DIGITS));
  return [`${ranOut.length}`, ...values, percent(median / ttlMs), first];
}

function percent(share: number): string {
  return `${Number((100 * share).toPrecision(2))} %`;
}

/** Quantiles of the safety margins of one lock, in ms. */
export interface MarginQuantiles {
  readonly least: number;
  readonly rare: number;
  readonly median: number;
  readonly common: number;
  readonly most: number;
}

/** Undefined if no lease ran out. */
export function quantilesOf({ ranOut }: LeaseMargins): MarginQuantiles | undefined {
  const at = (share: number): number | undefined =>
    ranOut[Math.min(ranOut.length - 1, Math.floor(share * ranOut.length))];
  const [least, rare, median, common, most] = [0, 0.01, 0.5, 0.99, 1].map(at);
  if (
    least === undefined ||
    rare === undefined ||
    median === undefined ||
    common === undefined ||
    most === undefined
  )
    return undefined;
  return { least, rare, median, common, most };
}
