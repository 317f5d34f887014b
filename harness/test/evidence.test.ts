import { expect, test } from 'vitest';
import { evidenceOf, takeoverMs, tookEffect } from '../src/compare/evidence.ts';
import { historyFrom, holding, update } from './support/histories.ts';

test('what the counter lacks at the end was lost', () => {
  const trial = historyFrom([update('a', 0), update('b', 0), update('a', 1), update('b', 1)]);

  const { unfenced, fenced, validityViolated, unfencedViolated } = evidenceOf(
    [trial, trial],
    'none',
    false,
  );

  expect(unfenced).toEqual({ accepted: 8, refused: 0, lost: 4 });
  expect(unfencedViolated).toBe(2);
  expect(fenced).toBeNull();
  expect(validityViolated).toBeNull();
});

test('a late holder shows in belief and in the plain counter, not in validity nor behind the fence', () => {
  const trial = historyFrom([
    ...holding('a', 3),
    ...holding('b', 100),
    update('b', 0),
    update('b', 0, true),
    update('a', 0),
    update('a', 0, true, false),
  ]);

  const evidence = evidenceOf([trial], 'pause', true);

  expect(evidence).toMatchObject({
    validityViolated: 0,
    beliefViolated: 1,
    unfencedViolated: 1,
    fencedViolated: 0,
    unfenced: { accepted: 2, refused: 0, lost: 1 },
    fenced: { accepted: 1, refused: 1, lost: 0 },
  });
  expect(evidence.example).toContain('its lease had ended: a late holder');
});

test('where no grant carries a token nothing is said of a fence', () => {
  const trial = historyFrom([...holding('a', 50), update('a', 0)]);

  expect(evidenceOf([trial], 'none', true)).toMatchObject({ fenced: null, fencedViolated: null });
});

test('two valid leases at once are counted as such', () => {
  const trial = historyFrom([...holding('a', 50), ...holding('b', 100)]);

  expect(evidenceOf([trial], 'none', true)).toMatchObject({ validityViolated: 1 });
});

test('a history that cannot be judged says so', () => {
  const trial = historyFrom([{ type: 'exit', client: 'a' }]);

  expect(evidenceOf([trial], 'none', true).flaw).toBe('exit without enter in hold a/1');
});

test('a fault takes effect where its victim is inside and somebody else waits', () => {
  const waits = [{ type: 'acquire', client: 'b' }] as const;
  const crash = [{ type: 'crashed', client: 'a' }] as const;
  const inside = holding('a', 100);

  expect(effect(...inside, ...waits, ...crash)).toBe(true);
  expect(effect(...inside, ...crash, ...waits)).toBe(false);
  expect(effect(...inside, { type: 'exit', client: 'a' }, ...waits, ...crash)).toBe(false);
  expect(effect(...inside, ...waits, { type: 'crashed', client: 'c' })).toBe(false);
  // Both are clients of one process: nobody is left to take over.
  expect(effect(...inside, ...waits, ...crash, { type: 'crashed', client: 'b' })).toBe(false);
});

test('contention shows when somebody leaves while another waits', () => {
  const leave = { type: 'exit', client: 'a' } as const;
  const contended = historyFrom([...holding('a', 100), { type: 'acquire', client: 'b' }, leave]);

  expect(tookEffect(contended, 'none', true)).toBe(true);
  expect(tookEffect(historyFrom([...holding('a', 100), leave]), 'none', true)).toBe(false);
});

test('the takeover lasts from the death of the holder to the next grant', () => {
  const history = historyFrom([
    ...holding('a', 100),
    { type: 'crashed', client: 'a' },
    { type: 'acquire', client: 'b' },
    { type: 'granted', client: 'b', validUntilMs: 200 },
  ]);

  expect(takeoverMs(history)).toEqual([2]);
  expect(takeoverMs(historyFrom(holding('a', 100)))).toEqual([]);
});

function effect(...lines: Parameters<typeof historyFrom>[0]): boolean {
  return tookEffect(historyFrom(lines), 'holder-crash', true);
}
