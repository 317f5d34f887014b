import type { HistoryEvent } from '@holdfast/core/backend';
import { mutualExclusion } from '@holdfast/harness/check';
import fc from 'fast-check';
import { expect, test } from 'vitest';

/** Reports to a lease, in order of time: the end of its validity; then perhaps its loss. */
interface Life {
  readonly key: string;
  readonly fromMs: number;
  readonly validForMs: number;
  readonly renewals: readonly { readonly afterMs: number; readonly validForMs: number }[];
  readonly end: { readonly afterMs: number; readonly type: 'release' | 'lost' } | null;
}

const ms = fc.nat(50);
const lives: fc.Arbitrary<Life[]> = fc.array(
  fc.record({
    key: fc.constantFrom('k', 'l'),
    fromMs: fc.nat(200),
    validForMs: ms,
    renewals: fc.array(fc.record({ afterMs: ms, validForMs: ms }), { maxLength: 3 }),
    end: fc.option(
      fc.record({ afterMs: ms, type: fc.constantFrom('release' as const, 'lost' as const) }),
    ),
  }),
  { maxLength: 6 },
);

type Bare = HistoryEvent extends infer E ? (E extends unknown ? Omit<E, 'seq'> : never) : never;

function eventsOf({ key, fromMs, validForMs, renewals, end }: Life, i: number): Bare[] {
  const place = { client: `c${i}`, hold: `h${i}`, key };
  let atMs = fromMs;
  const events: Bare[] = [
    { ...place, atMs, type: 'acquire' },
    { ...place, atMs, type: 'granted', validUntilMs: atMs + validForMs },
  ];
  for (const renewal of renewals) {
    atMs += renewal.afterMs;
    events.push({ ...place, atMs, type: 'renewed', validUntilMs: atMs + renewal.validForMs });
  }
  if (end === null) return events;
  atMs += end.afterMs;
  if (end.type === 'lost') events.push({ ...place, atMs, type: 'lost', reason: 'renewal' });
  else events.push({ ...place, atMs, type: 'release' });
  return events;
}

function historyOf(all: readonly Life[]): HistoryEvent[] {
  return all
    .flatMap(eventsOf)
    .toSorted((a, b) => a.atMs - b.atMs)
    .map((event, seq) => Object.assign({ seq }, event));
}

/**
 * The definition, word for word: from the grant to the latest reported end, or the end that came first. A renewal that is
 * over when it is reported changes nothing.
 */
function intervalOf({ fromMs, validForMs, renewals, end }: Life): readonly [number, number] {
  let [atMs, untilMs] = [fromMs, fromMs + validForMs];
  for (const renewal of renewals) {
    atMs += renewal.afterMs;
    if (renewal.validForMs > 0) untilMs = atMs + renewal.validForMs;
  }
  return [fromMs, end === null ? untilMs : Math.min(untilMs, atMs + end.afterMs)];
}

function overlap(a: Life, b: Life): boolean {
  const [[aFrom, aUntil], [bFrom, bUntil]] = [intervalOf(a), intervalOf(b)];
  return a.key === b.key && Math.max(aFrom, bFrom) < Math.min(aUntil, bUntil);
}

test('the judge finds an overlap exactly when some pair of leases of one key has one', () => {
  const seen = { ok: 0, violated: 0, unknown: 0 };

  fc.assert(
    fc.property(lives, (all) => {
      const { kind } = mutualExclusion(historyOf(all));
      seen[kind]++;
      const expected = all.some((a, i) => all.slice(i + 1).some((b) => overlap(a, b)));
      expect(kind).toBe(expected ? 'violated' : 'ok');
    }),
    { seed: 1, numRuns: 5_000 },
  );

  expect(Math.min(seen.ok, seen.violated)).toBeGreaterThan(500);
});

test('the proof of a violation is a violation by itself, and contains no event of other keys', () => {
  fc.assert(
    fc.property(lives, (all) => {
      const history = historyOf(all);
      const { kind, proof } = mutualExclusion(history);
      fc.pre(kind === 'violated');
      const holds = new Set(proof.flatMap((event) => ('hold' in event ? [event.hold] : [])));
      const acquires = history.filter((event) => event.type === 'acquire' && holds.has(event.hold));
      const alone = acquires.concat(proof).toSorted((a, b) => a.seq - b.seq);

      expect(mutualExclusion(alone).kind).toBe('violated');
      expect(new Set(proof.map(({ key }) => key)).size).toBe(1);
      expect(holds.size).toBe(2);
    }),
    { seed: 2, numRuns: 1_000 },
  );
});
