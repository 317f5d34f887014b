import { expect, test } from 'vitest';
import { type MutantTrial, VALIDITY } from './mutant.ts';
import { scheduleWords } from './track-record-trial.ts';

const PLAIN: MutantTrial = { subject: 'redlock', faults: ['delay'], target: VALIDITY };

test('the page says nothing more of schedules that the faults alone imply', () => {
  expect(scheduleWords(PLAIN)).toBe('');
});

test('every setup of a trial is on the page', () => {
  const trial: MutantTrial = {
    ...PLAIN,
    setup: {
      nodes: 3,
      points: ['acquire'],
      ttlTimes: 4,
      aftermath: true,
      variation: 'rolling',
    },
  };

  for (const word of [/on 3 nodes/, /acquire/, /4 times/, /progress/, /one after another/])
    expect(scheduleWords(trial)).toMatch(word);
});

test('so is the variation of a fault', () => {
  const setup = { variation: 'within' };

  expect(scheduleWords({ ...PLAIN, setup })).toMatch(/within the margin/);
});

test('a setup that the page has no words for cannot be hidden', () => {
  expect(() => scheduleWords({ ...PLAIN, setup: { newcomer: true } })).toThrow(
    /no words.*newcomer/,
  );
  expect(() => scheduleWords({ ...PLAIN, setup: { variation: 'delayed' } })).toThrow(
    /no words.*delayed/,
  );
});
