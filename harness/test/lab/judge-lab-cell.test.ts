import { expect, test } from 'vitest';
import type { JudgedTrial } from '../../src/lab/evaluation/figures.ts';
import {
  failedLabCell,
  judgeLabCell,
  labVerdict,
} from '../../src/lab/evaluation/judge-lab-cell.ts';
import { broken, cellOf, late, lossy, stale, strike, unjudged } from './support/trials.ts';

const sound = strike();

test('one broken strike of many breaks a cell, a late one makes it late', () => {
  expect(cellOf([sound, sound, strike(broken)]).outcome).toBe('breaks');
  expect(cellOf([sound, strike(late)]).outcome).toBe('late');
  expect(cellOf([strike(late), strike({ ...broken, ...late })]).outcome).toBe('breaks');
  expect(cellOf([sound, sound]).outcome).toBe('holds');
});

test('an update that was lost though nobody was late breaks it too', () => {
  expect(cellOf([sound, strike(lossy)]).outcome).toBe('breaks');
});

test('a stale write behind a fence breaks the fence, and no tokens are no fence', () => {
  expect(cellOf([strike(stale)]).fenced).toBe('breaks');
  expect(cellOf([strike({ tokensGrow: false })]).fenced).toBe('breaks');
  expect(cellOf([sound]).fenced).toBe('holds');
  expect(cellOf([strike({ fenced: null })]).fenced).toBe('n/a');
});

test('what was not struck while one held and another waited shows nothing', () => {
  const missed = strike({ effective: false });

  expect(cellOf([missed, missed]).outcome).toBe('nothing');
  expect(cellOf([missed, missed]).reason).toBe(
    'one client held while another waited in only 0 of 2 trials',
  );
  expect(cellOf([missed, sound, sound, sound, sound]).outcome).toBe('holds');
});

test('where nobody got in any more nothing is shown', () => {
  const nobody = strike({ unfenced: { accepted: 0, refused: 0, lost: 0, stale: 0 } });

  expect(cellOf([nobody]).outcome).toBe('nothing');
  expect(cellOf([nobody, sound]).outcome).toBe('holds');
});

test('a history that cannot be judged shows nothing, whatever the others say', () => {
  expect(cellOf([sound, strike(unjudged)]).outcome).toBe('nothing');
});

test('what is not as stated is unexpected either way, and so is what shows nothing', () => {
  const breaks = { outcome: 'breaks', fenced: 'holds' } as const;

  expect(cellOf([strike(broken)], breaks).unexpected).toBe(false);
  expect(cellOf([sound], breaks).unexpected).toBe(true);
  expect(cellOf([strike(broken)]).unexpected).toBe(true);
  expect(cellOf([strike(stale)]).unexpected).toBe(true);
  expect(cellOf([strike(broken)], null).unexpected).toBe(false);
  expect(cellOf([strike({ effective: false })], null).unexpected).toBe(true);
});

test('a control that loses nothing makes the whole run prove nothing', () => {
  const control = { outcome: 'breaks', fenced: 'n/a' } as const;
  const unlocked = { effective: false, fenced: null };
  const lost = cellOf([strike({ ...unlocked, ...lossy })], control, 'no-lock');
  const kept = cellOf([strike(unlocked)], control, 'no-lock');

  expect([lost.outcome, lost.unexpected]).toEqual(['breaks', false]);
  expect(kept.outcome).toBe('nothing');
  expect(labVerdict([lost, cellOf([sound])])).toBe('as-expected');
  expect(labVerdict([kept, cellOf([sound])])).toBe('proved-nothing');
});

function untold(handoverMs: number | null): JudgedTrial {
  const { record, judged } = strike({ handoverMs });
  return { record: { ...record, missedNotification: true }, judged };
}

test('a waiter that is deaf for ever shows nothing, however safe the lock is', () => {
  const place = { fault: 'lost-wakeup', column: 'redis-simple' } as const;
  const holds = { outcome: 'holds', fenced: 'holds' } as const;
  const woken = untold(900);

  const deaf = judgeLabCell(place, [woken, untold(null)], holds);

  expect(judgeLabCell(place, [woken], holds)).toMatchObject({
    outcome: 'holds',
    unexpected: false,
  });
  expect(deaf).toMatchObject({ outcome: 'nothing', unexpected: true });
  expect(deaf.reason).toBe(
    'in 1 of 2 trials the waiter that missed the notification never got the lock',
  );
});

test('what could not be played is unexpected', () => {
  const failed = failedLabCell({ fault: 'failover', column: 'zk' }, 'no leader', null);

  expect(failed).toMatchObject({ outcome: 'nothing', reason: 'no leader' });
  expect(labVerdict([failed])).toBe('unexpected');
});

test('where no lock was tested nothing is proved', () => {
  const control = { outcome: 'breaks', fenced: 'n/a' } as const;
  const unlocked = cellOf([strike({ ...lossy, fenced: null })], control, 'no-lock');

  expect(labVerdict([])).toBe('proved-nothing');
  expect(labVerdict([unlocked])).toBe('proved-nothing');
  expect(labVerdict([unlocked, cellOf([sound])])).toBe('as-expected');
});
