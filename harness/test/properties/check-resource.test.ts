import type { HistoryEvent } from '@holdfast/core/backend';
import { resource } from '@holdfast/harness/check';
import fc from 'fast-check';
import { expect, test } from 'vitest';

type Write = Extract<HistoryEvent, { readonly type: 'write' }>;

/** Writers by number; in order, as the resource got to see them. */
const writers = fc.array(fc.nat(3), { maxLength: 12 });

function write(seq: number, writer: number, more: Partial<Write>): Write {
  const place = { seq, atMs: seq, client: `c${writer}`, hold: `h${writer}`, key: 'k' };
  return { ...place, type: 'write', resource: 'r', accepted: true, fenced: false, ...more };
}

test('writes came in turns exactly when no writer appears in two places', () => {
  fc.assert(
    fc.property(writers, (order) => {
      const history = order.map((writer, seq) => write(seq, writer, {}));
      const runs = order.filter((writer, i) => writer !== order[i - 1]);
      const inTurns = new Set(runs).size === runs.length;

      expect(resource(history, { fenced: false }).kind).toBe(inTurns ? 'ok' : 'violated');
    }),
    { seed: 1, numRuns: 2_000 },
  );
});

test('a resource that compares tokens is always acquitted, whatever the order in which writes reach it', () => {
  fc.assert(
    fc.property(writers, (order) => {
      let largest = -1;
      const history = order.map((writer, seq) => {
        const accepted = writer >= largest;
        largest = Math.max(largest, writer);
        return write(seq, writer, { accepted, fenced: true, token: `${writer}` });
      });

      expect(resource(history, { fenced: true }).kind).toBe('ok');
    }),
    { seed: 2, numRuns: 2_000 },
  );
});

test('a counter has lost an update exactly when its last value is not the number of its writes', () => {
  fc.assert(
    fc.property(fc.array(fc.boolean(), { minLength: 1, maxLength: 8 }), (stale) => {
      // Each writer adds one to what it read, which is either the value or the one before it.
      let value = 0;
      const history = stale.map((isStale, seq) => {
        const readValue = isStale && value > 0 ? value - 1 : value;
        value = readValue + 1;
        return write(seq, seq, { readValue, value });
      });

      const { kind } = resource(history, { fenced: false });

      expect(kind).toBe(value === history.length ? 'ok' : 'violated');
    }),
    { seed: 3, numRuns: 1_000 },
  );
});
