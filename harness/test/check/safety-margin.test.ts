import { expect, test } from 'vitest';
import { judgeEarlyGrant, type KeyFreed, leaseMarginsOf } from '../../src/check/index.ts';
import { granted, merged } from './support/story.ts';

function freed(hold: string, atMs: number, how: KeyFreed['how'] = 'expired'): KeyFreed {
  return { hold, atMs, how };
}

test('the safety margin is from the end of validity until the servers could grant another', () => {
  const history = merged(granted('a1', 0, 988));

  expect(leaseMarginsOf(history, [freed('a1', 1_001)])).toEqual([
    { hold: 'a1', client: 'a', key: 'k', knewMs: 988, freeMs: 1_001, marginMs: 13, how: 'expired' },
  ]);
  expect(judgeEarlyGrant(history, [freed('a1', 1_001)])).toMatchObject({
    property: 'server-state',
    kind: 'ok',
  });
});

test('a holder that lost its lease earlier knew earlier', () => {
  const history = merged(granted('a1', 0, 988), [[400, 'a1', { type: 'lost', reason: 'renewal' }]]);

  expect(leaseMarginsOf(history, [freed('a1', 403, 'deleted')])).toMatchObject([
    { knewMs: 400, marginMs: 3, how: 'deleted' },
  ]);
});

test('a renewal moves the end', () => {
  const history = merged(granted('a1', 0, 988), [
    [333, 'a1', { type: 'renewed', validUntilMs: 1_321 }],
  ]);

  expect(leaseMarginsOf(history, [freed('a1', 1_334)])).toMatchObject([
    { knewMs: 1_321, marginMs: 13 },
  ]);
});

test('a lease that was released, or was over when it was handed over, has no margin', () => {
  const history = merged(
    granted('a1', 0, 988),
    [[500, 'a1', { type: 'release' }]],
    granted('b1', 600, 600),
  );

  expect(leaseMarginsOf(history, [freed('a1', 501), freed('b1', 100)])).toEqual([]);
});

test('servers that could grant another while the holder rightly believed break the promise', () => {
  const history = merged(granted('a1', 0, 1_000));

  const verdict = judgeEarlyGrant(history, [freed('a1', 998.5)]);

  expect(verdict.kind).toBe('violated');
  expect(verdict.message).toBe(
    'a held k validly until 1000 ms, and the servers could grant it to another from 998.5 ms on, 1.5 ms earlier',
  );
  expect(verdict.proof.map(({ type }) => type)).toEqual(['acquire', 'granted']);
});

test('a history that cannot be relied on shows nothing', () => {
  const history = merged([[0, 'a1', { type: 'granted', validUntilMs: 10 }]]);

  expect(judgeEarlyGrant(history, [])).toMatchObject({ property: 'server-state', kind: 'unknown' });
});
