import { believedSpans } from '../check/belief.ts';
import { flawOf } from '../check/flaw.ts';
import { validSpans } from '../check/mutual-exclusion.ts';
import { areInConflict, type Span } from '../check/span.ts';
import type { Scene } from './scene.ts';

/** Two clients that hold one key at once, or believe so. */
export interface Conflict {
  /** `broken`: both leases were valid. `late`: the first client continued after its lease had ended. */
  readonly kind: 'broken' | 'late';
  readonly key: string;
  readonly first: string;
  readonly second: string;
  readonly fromMs: number;
  readonly untilMs: number;
}

/** The spans in which each hold was valid, and believed valid by its client, with the conflicts between them. */
export interface Claims {
  readonly valid: readonly Span[];
  readonly believed: readonly Span[];
  readonly conflicts: readonly Conflict[];
}

/** Returns no claims for a history that is not reliable. */
export function claimsOf({ history }: Scene): Claims {
  if (flawOf(history) !== undefined) return { valid: [], believed: [], conflicts: [] };
  const valid = validSpans(history).filter(({ fromMs, untilMs }) => fromMs < untilMs);
  const believed = believedSpans(history);
  const broken = pairs(valid, valid, 'broken').filter(
    ({ fromMs, first, second }, i, all) =>
      // Each pair is found from both sides.
      all.findIndex(
        (c) =>
          c.fromMs === fromMs &&
          [c.first, c.second].includes(first) &&
          [c.first, c.second].includes(second),
      ) === i,
  );
  const late = pairs(overstayed(believed, valid), [...valid, ...believed], 'late');
  return {
    valid,
    believed,
    conflicts: [...broken, ...joined(late)].toSorted((a, b) => a.fromMs - b.fromMs),
  };
}

/** The part of each belief after the end of its lease. */
function overstayed(believed: readonly Span[], valid: readonly Span[]): readonly Span[] {
  return believed.flatMap((span) => {
    const endMs = valid.find(({ hold }) => hold === span.hold)?.untilMs ?? span.fromMs;
    return endMs < span.untilMs ? [{ ...span, fromMs: Math.max(span.fromMs, endMs) }] : [];
  });
}

function pairs(
  these: readonly Span[],
  those: readonly Span[],
  kind: Conflict['kind'],
): readonly Conflict[] {
  return these.flatMap((a) =>
    those.flatMap((b) => {
      const fromMs = Math.max(a.fromMs, b.fromMs);
      const untilMs = Math.min(a.untilMs, b.untilMs);
      if (a.hold === b.hold || a.key !== b.key || fromMs >= untilMs) return [];
      if (!areInConflict(a, b, fromMs, those)) return [];
      const [first, second] = kind === 'late' || a.fromMs <= b.fromMs ? [a, b] : [b, a];
      return [{ kind, key: a.key, first: first.client, second: second.client, fromMs, untilMs }];
    }),
  );
}

/** Joins conflicts of the same two clients that touch: a client that is valid usually also believes. */
function joined(conflicts: readonly Conflict[]): readonly Conflict[] {
  const all: Conflict[] = [];
  for (const conflict of conflicts.toSorted((a, b) => a.fromMs - b.fromMs)) {
    const at = all.findIndex(
      ({ first, second, key, untilMs }) =>
        first === conflict.first &&
        second === conflict.second &&
        key === conflict.key &&
        conflict.fromMs <= untilMs,
    );
    const known = all[at];
    if (known === undefined) all.push(conflict);
    else all[at] = { ...known, untilMs: Math.max(known.untilMs, conflict.untilMs) };
  }
  return all;
}
