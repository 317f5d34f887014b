import type { Moment } from './moment.ts';
import { shortened } from './names.ts';

/** What is told in one line: one thing that happened to several actors, or several to one. */
export interface Entry extends Moment {
  /** All whom it happened to, the moment's own actor first. */
  readonly actors: readonly string[];
}

/** Brings together what happened at the same moment, of moments in order of time: the same to several actors, then several things to the same. */
export function joined(moments: readonly Moment[]): readonly Entry[] {
  const entries: Entry[] = [];
  for (const moment of moments)
    merge(entries, { ...moment, actors: [moment.actor] }, sameThing, addActors);
  const rows: Entry[] = [];
  for (const entry of entries) merge(rows, entry, sameActors, addWords);
  return rows;
}

export function namesOf({ actors }: Entry): string {
  return shortened(actors);
}

function merge(
  entries: Entry[],
  entry: Entry,
  alike: (a: Entry, b: Entry) => boolean,
  add: (a: Entry, b: Entry) => Entry,
): void {
  const isAlike = (known: Entry): boolean => known.kind === entry.kind && alike(known, entry);
  let at = entries.length;
  while (entries[at - 1]?.atMs === entry.atMs) at--;
  while (at < entries.length && !isAlike(entries[at]!)) at++;
  const known = entries[at];
  if (known === undefined) entries.push(entry);
  else entries[at] = { ...add(known, entry), weight: Math.max(known.weight, entry.weight) };
}

function sameThing(a: Entry, b: Entry): boolean {
  return (
    a.kind !== 'event' && a.what === b.what && !b.actors.some((actor) => a.actors.includes(actor))
  );
}

function addActors(a: Entry, b: Entry): Entry {
  return { ...a, actors: [...a.actors, ...b.actors] };
}

function sameActors(a: Entry, b: Entry): boolean {
  return a.kind !== 'message' && a.actors.join() === b.actors.join();
}

function addWords(a: Entry, b: Entry): Entry {
  return a.what === b.what ? a : { ...a, what: `${a.what}; ${b.what}` };
}
