import type { Actor } from './scene.ts';

const NAMES_MAX = 14;

/** `n1`, or `n1,n2,n3`; where they are too many, the first and how many more. */
export function shortened(names: readonly string[]): string {
  const all = names.join(',');
  return all.length <= NAMES_MAX ? all : `${names[0]} +${names.length - 1}`;
}

/** Milliseconds in a story: to a tenth, which is as fine as any story needs. */
export function ms(value: number): string {
  return `${Number(value.toFixed(1))}`;
}

/** For how long, with its unit: what is too short for a tenth of a millisecond is not nothing. */
export function lengthOf(valueMs: number): string {
  if (valueMs <= 0 || valueMs >= 0.05) return `${ms(valueMs)} ms`;
  return `${Math.max(1, Math.round(valueMs * 1000))} µs`;
}

const DAY_MS = 86_400_000;

/** What the wall clock of `actor` shows at a moment; undefined when it has none. */
function wallMsAt({ clock }: Actor, atMs: number): number | undefined {
  const point = clock.findLast((each) => each.atMs <= atMs) ?? clock[0];
  return point && point.wallMs + (atMs - point.atMs) * (point.rate ?? 1);
}

/** `HH:MM:SS.mmm` of the day in UTC, as every lane prints it; empty for an actor without a clock. */
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

/** Breaks words so that no line is longer than `room`, unless a single word is. */
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
