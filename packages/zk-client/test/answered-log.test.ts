import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { AnsweredLog } from '../src/liveness.ts';

const KEPT_MS = 6_400;
const GRAIN_MS = KEPT_MS / 128;

/** Requests in the order of their answers: how long after the last answer, and how long each had waited. */
const answers = fc.array(
  fc.record({
    afterMs: fc.oneof(fc.nat({ max: 5 }), fc.nat({ max: 200 }), fc.nat({ max: KEPT_MS })),
    waitedMs: fc.nat({ max: 500 }),
  }),
  { maxLength: 400 },
);

test('the answered log tells of no request that left later than the truth, and of one that is hardly older', () => {
  fc.assert(
    fc.property(
      answers,
      fc.array(fc.nat({ max: KEPT_MS - GRAIN_MS }), { minLength: 1 }),
      (all, ages) => {
        const log = new AnsweredLog(KEPT_MS);
        const truth: { sentMs: number; answeredMs: number }[] = [];
        let nowMs = 0;
        for (const { afterMs, waitedMs } of all) {
          nowMs += afterMs;
          const sentMs = nowMs - waitedMs;
          truth.push({ sentMs, answeredMs: nowMs });
          log.add({ monotonicMs: sentMs, wallMs: sentMs }, nowMs);
        }
        const latest = (byMs: number): number =>
          Math.max(
            ...truth.filter(({ answeredMs }) => answeredMs <= byMs).map(({ sentMs }) => sentMs),
          );

        for (const age of ages) {
          const told = log.answeredBefore(nowMs - age)?.monotonicMs ?? Number.NEGATIVE_INFINITY;

          expect(told).toBeLessThanOrEqual(latest(nowMs - age));
          expect(told).toBeGreaterThanOrEqual(latest(nowMs - age - GRAIN_MS));
        }
      },
    ),
    { numRuns: 300 },
  );
});
