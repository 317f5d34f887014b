import type { Actor } from './scene.ts';

const NAMES_MAX = 14;

/** `n1`, or `n1,n2,n3`; a longer list as the first name and the number of others. */
export function shortened(names: readonly string[]): string {
  const all = names.join(',');
  return all.length <= NAMES_MAX ? all : `${names[0]} +${names.length - 1}`;
}

/** Milliseconds in a story, to a tenth. */
export function ms(value: number): string {
  return `${Number(value.toFixed(1))}`;
}

/** A duration with its unit; a positive one below a tenth of a millisecond is printed in microseconds. */
export function lengthOf(valueMs: number): string {
  if (valueMs <= 0 || valueMs >= 0.05) return `${ms(valueMs)} ms`;
  return `${Math.max(1, Math.round(valueMs * 1000))} µs`;
}

const DAY_MS = 86_400_000;

/** The time on the wall clock of `actor`; undefined without a clock. */
function wallMsAt({ clock }: Actor, atMs: number): number | undefined {
  const point = clock.findLast((each) => each.atMs <= atMs) ?? clock[0];
  return point && point.wallMs + (atMs - point.atMs) * (point.rate ?? 1);
}

/** `HH:MM:SS.mmm` of the day in UTC, as in every lane; empty for an actor without a clock. */
export function clockText(actor: Actor, atMs: number): string {
  const wallMs = wallMsAt(actor, atMs);
  return wallMs === undefined ? '' : timeOfDay(wallMs);
}

function timeOfDay(wallMs: number): string {
  const dayMs = Math.floor(((wallMs % DAY_MS) + DAY_MS) % DAY_MS);
  const parts = [
    Math.floor(dayMs / 3_600_000),
    Math.floor(dayMs / 60_000) % 60,
    Math.floor(dayMs / 1000) % 60,
  ];
  return `${parts.map((part) => `${part}`.padStart(2, '0')).join(':')}.${`${dayMs % 1000}`.padStart(3, '0')}`;
}

/** Breaks text into lines of at most `room` characters; only a single word may be longer. */
export function wrapped(text: string, room: number): readonly string[] {
  const lines: string[] = [];
  let current = '';
  for (const word of text.split(' ')) {
    const longer = current === '' ? word : `${current} ${word}`;
    if (longer.length > room && current !== '') {
      lines.push(current);
      current = word;
    } else current = longer;
  }
  return [...lines, current];
}
