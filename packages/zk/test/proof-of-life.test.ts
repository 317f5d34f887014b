import type { Instant, Validity } from '@holdfast/core/backend';
import { array, assert, constantFrom, double, integer, property, record } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isWarm } from '../src/heartbeat.ts';
import {
  dueInMs,
  isRecentlyProven,
  isReusable,
  isUseful,
  LeaderReplies,
  type Proof,
  reportedMs,
  validityOf,
} from '../src/proof-of-life.ts';

const T = 12_000;
const WALL_MS = 1_700_000_000_000;
const at = (monotonicMs: number, wallOffsetMs = 0): Instant => ({
  monotonicMs,
  wallMs: WALL_MS + wallOffsetMs + monotonicMs,
});
const endOf = ({ from, ms }: Validity): Instant => ({
  monotonicMs: from.monotonicMs + ms,
  wallMs: from.wallMs + ms,
});
const ROUNDING = 6;
const STEP = T / 6;

describe('a proof', () => {
  test('carries a lease for two thirds of T where the leader has heard of the session shortly before', () => {
    const validity = validityOf({ sentAt: at(10_000), touched: at(7_000) }, T);

    expect(validity).toEqual({ from: at(10_000), ms: 8_000 });
  });

  test('carries it no further than 0.95 T after the latest request that the leader has heard of', () => {
    const validity = validityOf({ sentAt: at(10_000), touched: at(4_000) }, T);

    expect(endOf(validity).monotonicMs).toBe(4_000 + 11_400);
    expect(validity.from).toEqual(at(10_000));
  });

  test('after a loop that was blocked for 0.8 T carries it for 0.15 T, not for two thirds', () => {
    const proof: Proof = { sentAt: at(0.8 * T), touched: at(0) };

    const validity = validityOf(proof, T);

    expect(endOf(validity).monotonicMs - proof.sentAt.monotonicMs).toBeCloseTo(0.15 * T, ROUNDING);
  });

  test('proves nothing where the leader has heard of nothing', () => {
    const { from, ms } = validityOf({ sentAt: at(10), touched: undefined }, T);

    expect({ from, ms }).toEqual({ from: at(10), ms: 0 });
  });

  test('carries nothing, and not less, where that was too long ago', () => {
    expect(validityOf({ sentAt: at(5 * T), touched: at(0) }, T).ms).toBe(0);
  });
});

/** Of a session that was validated then, with what it was answered by when. */
function answersOf(
  validated: Instant,
  answered: readonly [sentMs: number, atMs: number][],
): LeaderReplies {
  const session = {
    timeoutMs: T,
    validated,
    answeredBefore: (ms: number): Instant | undefined =>
      answered
        .filter(([, atMs]) => atMs <= ms)
        .map(([sentMs]) => at(sentMs))
        .at(-1),
  };
  return new LeaderReplies(session);
}

describe('the leader has heard of', () => {
  test('what was answered a quarter of T before a request that it answered, not before any other', () => {
    const answers = answersOf(at(0), [
      [1_000, 1_010],
      [20_000, 20_010],
    ]);

    answers.add({ sentAt: at(23_000) });
    expect(answers.touched()).toEqual(at(1_000));
    answers.add({ sentAt: at(23_010) });
    expect(answers.touched()).toEqual(at(20_000));
  });

  test('the creation of the session, and its validation on the next connection, at once', () => {
    expect(answersOf(at(5_000), []).touched()).toEqual(at(5_000));
    const answers = answersOf(at(50_000), [[20_000, 20_010]]);
    answers.add({ sentAt: at(49_000) });

    expect(answers.touched()).toEqual(at(50_000));
  });

  test('what it knew before, also when an older answer is noted later', () => {
    const answers = answersOf(at(0), [[20_000, 20_010]]);
    answers.add({ sentAt: at(24_000) });
    answers.add({ sentAt: at(10_000) });

    expect(answers.touched()).toEqual(at(20_000));
    expect(answers.latest).toEqual(at(24_000));
  });
});

const proofs = record({
  sentMs: integer({ min: 0, max: 100_000 }),
  touchedAgo: double({ min: 0, max: 2, noNaN: true }),
  stepMs: constantFrom(0, -3_600_000, 3_600_000),
});

describe('whatever the proof and the clocks', () => {
  test('no lease is believed in beyond either limit, by either clock', () => {
    assert(
      property(proofs, ({ sentMs, touchedAgo, stepMs }) => {
        // The wall clock stepped between the reply and the proof.
        const sentAt = at(sentMs, stepMs);
        const touched = at(sentMs - touchedAgo * T);
        const validity = validityOf({ sentAt, touched }, T);
        if (validity.ms === 0) return;
        const end = endOf(validity);

        for (const clock of ['monotonicMs', 'wallMs'] as const) {
          expect(end[clock]).toBeLessThanOrEqual(sentAt[clock] + (T * 2) / 3 + 1e-3);
          expect(end[clock]).toBeLessThanOrEqual(touched[clock] + T * 0.95 + 1e-3);
        }
      }),
    );
  });

  test('a lease begins when its proof left, by the monotonic clock, or has nothing left', () => {
    assert(
      property(proofs, ({ sentMs, touchedAgo }) => {
        const proof = { sentAt: at(sentMs), touched: at(sentMs - touchedAgo * T) };
        const { from, ms } = validityOf(proof, T);

        expect(ms > 0 ? from.monotonicMs : sentMs).toBeCloseTo(sentMs, ROUNDING);
      }),
    );
  });

  test('a leader that is asked every sixth of T leaves 0.36 T at each proof, and a fifth when the next is due', () => {
    // The send time of each request, and the time of its reply; the proof is sent at any time between two.
    const beats = record({
      jitter: array(double({ min: 0, max: 1, noNaN: true }), { minLength: 12, maxLength: 12 }),
      tookMs: double({ min: 0, max: 10, noNaN: true }),
      phase: double({ min: 0, max: 1, noNaN: true }),
    });
    assert(
      property(beats, ({ jitter, tookMs, phase }) => {
        let sentMs = 0;
        const sent = jitter.map((share) => (sentMs += STEP * share));
        const proofMs = sentMs + phase * STEP + tookMs;
        const led = sent.filter((ms) => ms + tookMs <= proofMs);
        const wMs = led.at(-1) ?? 0;
        const touchedMs = sent.findLast((ms) => ms + tookMs <= reportedMs(at(wMs), T));
        if (touchedMs === undefined) return;

        const { ms } = validityOf({ sentAt: at(proofMs), touched: at(touchedMs) }, T);

        expect(ms).toBeGreaterThanOrEqual(0.366 * T - 2 * tookMs);
        // The next proof is due T/6 later, and finds as much as a renewal needs.
        expect(ms - STEP).toBeGreaterThanOrEqual(T / 5 - 1 - 2 * tookMs);
      }),
    );
  });
});

describe('a lease', () => {
  test('begins with what a creation has proven if a quarter of T is left of it', () => {
    expect(isRecentlyProven(T / 4, T)).toBe(true);
    expect(isRecentlyProven(T / 4 - 1, T)).toBe(false);
  });

  test('does not begin with less than a sixth of T', () => {
    expect(isUseful(T / 6, T)).toBe(true);
    expect(isUseful(T / 6 - 1, T)).toBe(false);
  });

  test('is carried on by an earlier proof for a sixth of T, while enough is left for a renewal', () => {
    expect(isReusable(T / 6 - 10, T / 5, T)).toBe(true);
    expect(isReusable(T / 6, T / 2, T)).toBe(false);
    expect(isReusable(0, T / 5 - 1, T)).toBe(false);
  });
});

describe('the leader', () => {
  test('has to be asked when a sixth of T has passed, also by a timer that is a moment early', () => {
    expect(dueInMs(0, T)).toBe(2_000);
    expect(dueInMs(1_500, T)).toBe(500);
    expect(dueInMs(1_999, T)).toBe(0);
    expect(dueInMs(5_000, T)).toBe(0);
  });

  test('is asked for two T after the last use', () => {
    expect(isWarm(2 * T - 1, T)).toBe(true);
    expect(isWarm(2 * T, T)).toBe(false);
  });
});
