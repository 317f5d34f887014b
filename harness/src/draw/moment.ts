import { shortened } from './format.ts';

/** One thing that happened to one actor, with its text. */
export interface Moment {
  readonly atMs: number;
  readonly actor: string;
  readonly what: string;
  readonly kind: 'event' | 'fault' | 'message' | 'state';
  /** The importance: if there is no room, the moments with the smallest weight are omitted. */
  readonly weight: number;
}

/** The weight of moments that are counted but never shown. */
export const NOISE: number = 1;

/** The `most` moments with the largest weight, in order of time. */
export function heaviest<M extends Moment>(moments: readonly M[], most: number): readonly M[] {
  const kept = new Set(moments.toSorted((a, b) => b.weight - a.weight).slice(0, most));
  return moments.filter((moment) => kept.has(moment));
}

/** One line of a timeline: one thing that happened to several actors, or several things to one. */
export interface TimelineEntry extends Moment {
  /** All actors that it happened to, the moment's own actor first. */
  readonly actors: readonly string[];
}

/** Joins moments of one time, of moments in order of time: first one thing for several actors, then several things for one. */
export function joinMoments(moments: readonly Moment[]): readonly TimelineEntry[] {
  const entries: TimelineEntry[] = [];
  for (const moment of moments)
    merge(entries, { ...moment, actors: [moment.actor] }, sameThing, addActors);
  const rows: TimelineEntry[] = [];
  for (const entry of entries) merge(rows, entry, sameActors, addWords);
  return rows;
}

export function namesOf({ actors }: TimelineEntry): string {
  return shortened(actors);
}

function merge(
  entries: TimelineEntry[],
  entry: TimelineEntry,
  alike: (a: TimelineEntry, b: TimelineEntry) => boolean,
  add: (a: TimelineEntry, b: TimelineEntry) => TimelineEntry,
): void {
  const isAlike = (known: TimelineEntry): boolean =>
    known.kind === entry.kind && alike(known, entry);
  let at = entries.length;
  while (entries[at - 1]?.atMs === entry.atMs) at--;
  while (at < entries.length && !isAlike(entries[at]!)) at++;
  const known = entries[at];
  if (known === undefined) entries.push(entry);
  else entries[at] = { ...add(known, entry), weight: Math.max(known.weight, entry.weight) };
}

function sameThing(a: TimelineEntry, b: TimelineEntry): boolean {
  return (
    a.kind !== 'event' && a.what === b.what && !b.actors.some((actor) => a.actors.includes(actor))
  );
}

function addActors(a: TimelineEntry, b: TimelineEntry): TimelineEntry {
  return { ...a, actors: [...a.actors, ...b.actors] };
}

function sameActors(a: TimelineEntry, b: TimelineEntry): boolean {
  return a.kind !== 'message' && a.actors.join() === b.actors.join();
}

function addWords(a: TimelineEntry, b: TimelineEntry): TimelineEntry {
  return a.what === b.what ? a : { ...a, what: `${a.what}; ${b.what}` };
}
