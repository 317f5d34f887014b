import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { blockingOf, leftMs, majorityFreeInMs, quorumOf, splitBackOffMs } from '../src/validity.ts';

const nodes = fc.integer({ min: 1, max: 99 });
const ttl = fc.integer({ min: 100, max: 86_400_000 });
const elapsed = fc.double({ min: 0, max: 200_000_000, noNaN: true });

describe('a quorum', () => {
  test('shares a node with every other, and one less would not', () => {
    fc.assert(
      fc.property(nodes, (n) => {
        expect(2 * quorumOf(n)).toBeGreaterThan(n);
        expect(2 * (quorumOf(n) - 1)).toBeLessThanOrEqual(n);
      }),
    );
  });

  test('shares a node with every blocking set, and can do without any smaller set', () => {
    fc.assert(
      fc.property(nodes, (n) => {
        expect(quorumOf(n) + blockingOf(n)).toBe(n + 1);
      }),
    );
  });
});

describe('validity', () => {
  test('is never negative, and never outlasts a ttl that a hundredth of it faster clock counts from the sending', () => {
    fc.assert(
      fc.property(ttl, elapsed, (ttlMs, elapsedMs) => {
        const left = leftMs(ttlMs, elapsedMs);
        expect(left).toBeGreaterThanOrEqual(0);
        expect(left === 0 || (elapsedMs + left) * 1.01 < ttlMs).toBe(true);
      }),
    );
  });

  test('shrinks by what passes', () => {
    fc.assert(
      fc.property(ttl, elapsed, elapsed, (ttlMs, one, more) => {
        expect(leftMs(ttlMs, one + more)).toBeLessThanOrEqual(leftMs(ttlMs, one));
      }),
    );
  });
});

describe('a majority', () => {
  const remaining = fc.array(fc.nat(10_000), { minLength: 1, maxLength: 9 });

  test('is free when so many nodes are, and not a moment earlier', () => {
    fc.assert(
      fc.property(remaining, (remainingMs) => {
        const quorum = quorumOf(remainingMs.length);
        const freeInMs = majorityFreeInMs(remainingMs, quorum);
        expect(remainingMs.filter((ms) => ms <= freeInMs).length).toBeGreaterThanOrEqual(quorum);
        expect(remainingMs.filter((ms) => ms < freeInMs).length).toBeLessThan(quorum);
      }),
    );
  });

  test('is never known to be free while too few nodes say when', () => {
    expect(majorityFreeInMs([5, 7], 3)).toBe(Number.POSITIVE_INFINITY);
    expect(majorityFreeInMs([5, Number.POSITIVE_INFINITY, 7], 3)).toBe(Number.POSITIVE_INFINITY);
  });
});

test('the back-off spreads more widely with every split in a row, up to a limit', () => {
  const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
  fc.assert(
    fc.property(elapsed, fc.nat(50), random, (tookMs, splits, chance) => {
      const ms = splitBackOffMs(tookMs, splits, chance, 400);
      expect(ms).toBeGreaterThanOrEqual(0);
      expect(ms).toBeLessThan(400.001);
      expect(splitBackOffMs(tookMs, splits + 1, chance, 400)).toBeGreaterThanOrEqual(ms);
      expect(splitBackOffMs(tookMs, splits, chance, 2_000)).toBeGreaterThanOrEqual(ms);
    }),
  );
  expect([0, 1, 2, 9].map((splits) => splitBackOffMs(1, splits, 0.5, 400))).toEqual([
    5, 10, 20, 200,
  ]);
});

test('a majority is free when enough nodes are, in whatever order they said so', () => {
  expect(majorityFreeInMs([500, 10, 300, 20, 400], 3)).toBe(300);
  expect(majorityFreeInMs([1000, 200, 30], 2)).toBe(200);
});
