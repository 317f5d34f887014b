import { believedSpans } from '../check/belief.ts';
import { flawOf } from '../check/flaw.ts';
import { validSpans } from '../check/mutual-exclusion.ts';
import type { Span } from '../check/span.ts';
import type { Scene } from './scene.ts';

/** Two clients in one another's way. */
export interface Conflict {
  /** `broken`: both leases were valid. `late`: the first client's was over, yet it went on. */
  readonly kind: 'broken' | 'late';
  readonly key: string;
  readonly first: string;
  readonly second: string;
  readonly fromMs: number;
  readonly untilMs: number;
}

/** What a history says of every hold: when it was valid, when it was believed in, and where that clashed. */
export interface Claims {
  readonly valid: readonly Span[];
  readonly believed: readonly Span[];
  readonly clashes: readonly Conflict[];
}

/** Of a history that cannot be relied on nothing is claimed. */
export function claimsOf({ history }: Scene): Claims {
  if (flawOf(history) !== undefined) return { valid: [], believed: [], clashes: [] };
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
    clashes: [...broken, ...joined(late)].toSorted((a, b) => a.fromMs - b.fromMs),
  };
}

/** What is left of every belief once its lease was over. */
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
      const [first, second] = kind === 'late' || a.fromMs <= b.fromMs ? [a, b] : [b, a];
      return [{ kind, key: a.key, first: first.client, second: second.client, fromMs, untilMs }];
    }),
  );
}

/** Being valid and being believed in often coincide: one clash for both. */
function joined(clashes: readonly Conflict[]): readonly Conflict[] {
  const all: Conflict[] = [];
  for (const clash of clashes.toSorted((a, b) => a.fromMs - b.fromMs)) {
    const at = all.findIndex(
      ({ first, second, key, untilMs }) =>
        first === clash.first &&
        second === clash.second &&
        key === clash.key &&
        clash.fromMs <= untilMs,
    );
    const known = all[at];
    if (known === undefined) all.push(clash);
    else all[at] = { ...known, untilMs: Math.max(known.untilMs, clash.untilMs) };
  }
  return all;
}
