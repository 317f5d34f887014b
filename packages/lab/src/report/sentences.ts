import type { Column } from '@holdfast/check';
import type { LabCell, LabReport } from '../evaluation/report.ts';
import { shownMs } from './html.ts';

/** What an architect wants to know of each backend first, in one sentence. */
export function sentences({
  columns,
  cells,
}: LabReport): readonly { readonly name: string; readonly text: string }[] {
  return columns.map((column) => ({ name: column.id, text: sentenceOf(column, cells) }));
}

function sentenceOf({ id }: Column, cells: readonly LabCell[]): string {
  const own = cells.filter(({ column, figures }) => column === id && figures !== null);
  if (id === 'no-lock')
    return `${lostWithout(own)}: the control, against which all else is to be seen.`;
  const parts = [safetyOf(own), fenceOf(own), outageOf(own)].filter((part) => part !== undefined);
  return `${parts.join('; ')}.`;
}

function lostWithout(own: readonly LabCell[]): string {
  const lost = sum(own.map(({ figures }) => figures?.updates.lost ?? 0));
  const accepted = sum(own.map(({ figures }) => figures?.updates.accepted ?? 0));
  return `lost ${lost} of ${accepted} updates`;
}

function safetyOf(own: readonly LabCell[]): string {
  const named = (outcome: LabCell['outcome']): readonly string[] =>
    own.filter((cell) => cell.outcome === outcome).map(({ fault }) => fault);
  const broken = named('breaks');
  const late = named('late');
  const nothing = named('nothing');
  const kept = own.length - broken.length - nothing.length;
  const parts = [
    broken.length === 0 ? undefined : `two held at once under ${list(broken)}`,
    kept === 0 ? undefined : heldText(kept, own.length),
    late.length === 0 ? undefined : `late holders under ${list(late)}`,
    nothing.length === 0 ? undefined : `nothing shown under ${list(nothing)}`,
  ];
  return parts.filter((part) => part !== undefined).join(', ');
}

function heldText(kept: number, tried: number): string {
  if (kept < tried) return `held under the other ${kept}`;
  return tried === 1
    ? 'held under the one fault that was tried'
    : `held under all ${tried} that were tried`;
}

function fenceOf(own: readonly LabCell[]): string | undefined {
  const fenced = own.flatMap(({ figures }) => figures?.fencedUpdates ?? []);
  if (fenced.length === 0) return 'no fencing tokens';
  const stale = sum(fenced.map((each) => each.stale));
  const refused = sum(fenced.map((each) => each.refused));
  return `by its tokens ${count(refused, 'late write')} refused, ${stale === 0 ? 'none' : stale} let in`;
}

/** Only where somebody else than us put the next server in its place. */
const OWN_FAILOVER: ReadonlySet<string> = new Set(['redis-simple/sentinel', 'zk']);

function outageOf(own: readonly LabCell[]): string | undefined {
  const outage = own.find(({ fault, column }) => fault === 'failover' && OWN_FAILOVER.has(column));
  const spread = outage?.figures?.unavailableMs;
  if (spread === undefined) return undefined;
  const leader = outage?.column === 'zk' ? 'leader' : 'master';
  const median =
    spread.median === null
      ? 'nobody was served while we looked'
      : `${shownMs(spread.median)} without service`;
  const { unended, samples } = spread;
  const open =
    unended === 0 || spread.median === null
      ? ''
      : `, ${unended} of ${samples} clients for longer than we looked`;
  return `${median} when the ${leader} died${open}`;
}

function count(number: number, what: string): string {
  return `${number} ${what}${number === 1 ? '' : 's'}`;
}

function list(names: readonly string[]): string {
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}
