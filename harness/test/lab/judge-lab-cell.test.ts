import { expect, test } from 'vitest';
import type { JudgedTrial } from '../../src/lab/evaluation/figures.ts';
import {
  failedLabCell,
  judgeLabCell,
  labVerdict,
} from '../../src/lab/evaluation/judge-lab-cell.ts';
import { broken, cellOf, judgedTrial, late, lossy, stale, unjudged } from './support/trials.ts';

const sound = judgedTrial();

test('one broken trial of many breaks a cell, a late one makes it late', () => {
  expect(cellOf([sound, sound, judgedTrial(broken)]).outcome).toBe('breaks');
  expect(cellOf([sound, judgedTrial(late)]).outcome).toBe('late');
  expect(cellOf([judgedTrial(late), judgedTrial({ ...broken, ...late })]).outcome).toBe('breaks');
  expect(cellOf([sound, sound]).outcome).toBe('holds');
});

test('a lost update without a late holder breaks it too', () => {
  expect(cellOf([sound, judgedTrial(lossy)]).outcome).toBe('breaks');
});

test('a stale write behind a fence breaks the fence, and no tokens are no fence', () => {
  expect(cellOf([judgedTrial(stale)]).fenced).toBe('breaks');
  expect(cellOf([judgedTrial({ tokensGrow: false })]).fenced).toBe('breaks');
  expect(cellOf([sound]).fenced).toBe('holds');
  expect(cellOf([judgedTrial({ fenced: null })]).fenced).toBe('n/a');
});

test('a fault shows nothing unless one client held and another waited', () => {
  const missed = judgedTrial({ effective: false });

  expect(cellOf([missed, missed]).outcome).toBe('nothing');
  expect(cellOf([missed, missed]).reason).toBe(
    'one client held while another waited in only 0 of 2 trials',
  );
  expect(cellOf([missed, sound, sound, sound, sound]).outcome).toBe('holds');
});

test('a cell in which no client was granted the key any more shows nothing', () => {
  const nobody = judgedTrial({ unfenced: { accepted: 0, refused: 0, lost: 0, stale: 0 } });

  expect(cellOf([nobody]).outcome).toBe('nothing');
  expect(cellOf([nobody, sound]).outcome).toBe('holds');
});

test('a history that cannot be judged shows nothing, whatever the others say', () => {
  expect(cellOf([sound, judgedTrial(unjudged)]).outcome).toBe('nothing');
});

test('what is not as stated is unexpected either way, and so is what shows nothing', () => {
  const breaks = { outcome: 'breaks', fenced: 'holds' } as const;

  expect(cellOf([judgedTrial(broken)], breaks).unexpected).toBe(false);
  expect(cellOf([sound], breaks).unexpected).toBe(true);
  expect(cellOf([judgedTrial(broken)]).unexpected).toBe(true);
  expect(cellOf([judgedTrial(stale)]).unexpected).toBe(true);
  expect(cellOf([judgedTrial(broken)], null).unexpected).toBe(false);
  expect(cellOf([judgedTrial({ effective: false })], null).unexpected).toBe(true);
});

test('a control that loses nothing makes the whole run prove nothing', () => {
  const control = { outcome: 'breaks', fenced: 'n/a' } as const;
  const unlocked = { effective: false, fenced: null };
  const lost = cellOf([judgedTrial({ ...unlocked, ...lossy })], control, 'no-lock');
  const kept = cellOf([judgedTrial(unlocked)], control, 'no-lock');

  expect([lost.outcome, lost.unexpected]).toEqual(['breaks', false]);
  expect(kept.outcome).toBe('nothing');
  expect(labVerdict([lost, cellOf([sound])])).toBe('as-expected');
  expect(labVerdict([kept, cellOf([sound])])).toBe('proved-nothing');
});

function untold(handoverMs: number | null): JudgedTrial {
  const { record, judged } = judgedTrial({ handoverMs });
  return { record: { ...record, missedNotification: true }, judged };
}

test('a waiter that never hears a release shows nothing, however safe the lock is', () => {
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
  const unlocked = cellOf([judgedTrial({ ...lossy, fenced: null })], control, 'no-lock');

  expect(labVerdict([])).toBe('proved-nothing');
  expect(labVerdict([unlocked])).toBe('proved-nothing');
  expect(labVerdict([unlocked, cellOf([sound])])).toBe('as-expected');
});
