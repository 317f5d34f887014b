import type { Actor } from './scene.ts';

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
  const ms = Math.floor(((wallMs % DAY_MS) + DAY_MS) % DAY_MS);
  const parts = [
    Math.floor(ms / 3_600_000),
    Math.floor(ms / 60_000) % 60,
    Math.floor(ms / 1000) % 60,
  ];
  return `${parts.map((part) => `${part}`.padStart(2, '0')).join(':')}.${`${ms % 1000}`.padStart(3, '0')}`;
}
