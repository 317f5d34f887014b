import { type Choreography, type Deployment, FAULTS } from '@holdfast/harness/simulator';
import { describe, expect, test } from 'vitest';
import {
  choreographiesOf,
  faultView,
  isUnplayable,
} from '../../src/lab/evaluation/choreographies.ts';
import { deploymentsOf } from '../../src/lab/evaluation/deployments.ts';
import { type ChoreographyEffects, effectsOf } from '../../src/lab/trials/choreography-effects.ts';
import { REAL_COLUMNS } from '../../src/locks/index.ts';

const SEEN = { ttlMs: 1_500, clocks: true };

function deployment(column: string): Deployment {
  const [first] = deploymentsOf(column);
  if (first === undefined) throw new Error(`${column} is tried on nothing`);
  return faultView(first, SEEN);
}

function ways(fault: string, column: string): readonly Choreography[] {
  const all = choreographiesOf(fault, deployment(column));
  if (isUnplayable(all)) throw new Error(all.unplayable);
  return all;
}

function meanings(fault: string, column: string): readonly ChoreographyEffects[] {
  return ways(fault, column).map((way) => effectsOf(way, deployment(column)));
}

function staying(fault: string, column: string): boolean {
  return meanings(fault, column).some(({ othersStay }) => othersStay);
}

function goesOn(fault: string): boolean {
  return meanings(fault, 'zk').every((meaning) => meaning.recovers);
}

/** Whether nothing can be played of it where clocks cannot be shifted. */
function still(fault: string): boolean {
  return deploymentsOf('redis-simple').every((each) =>
    isUnplayable(choreographiesOf(fault, faultView(each, { ...SEEN, clocks: false }))),
  );
}

test('every choreography of every fault ends, and describes what it does', () => {
  const all = REAL_COLUMNS.flatMap(deploymentsOf).flatMap((each) =>
    FAULTS.all.flatMap(({ id }) => {
      const played = choreographiesOf(id, faultView(each, SEEN));
      return isUnplayable(played) ? [] : played;
    }),
  );

  expect(all.length).toBeGreaterThan(FAULTS.all.length);
  for (const { description, steps } of all) {
    expect(description).not.toBe('');
    expect(steps.filter((step) => step.do === 'hold')).toHaveLength(1);
  }
});

describe('what a trial has to know follows from its steps', () => {
  test('a paused holder is replaced, and writes without another check', () => {
    const [meaning] = meanings('pause', 'redis-simple');

    expect(meaning).toMatchObject({ faulted: [0], expectsHandover: true, writesUnchecked: true });
    expect(meanings('pause-acquire', 'redis-simple')[0]).toMatchObject({
      faulted: [1],
      unwatched: [0, 1],
      expectsHandover: false,
      writesUnchecked: false,
    });
  });

  test('who is cut from too few to lose its place keeps it', () => {
    expect(meanings('client-cut', 'redlock').map(({ expectsHandover }) => expectsHandover)).toEqual(
      [true, true, false, true],
    );
    expect(meanings('client-cut', 'zk').map(({ expectsHandover }) => expectsHandover)).toEqual([
      true,
      true,
      false,
    ]);
  });

  test('a waiter that is notified on its only connection is served otherwise', () => {
    const effects = { isPatient: true, expectsHandover: true, faulted: [1] };

    expect(meanings('lost-wakeup', 'redis-simple')[0]).toMatchObject({
      ...effects,
      unwatched: [0],
    });
    expect(meanings('lost-wakeup', 'zk')[0]).toMatchObject({ ...effects, unwatched: [0, 1] });
  });

  test('others stay only where a late release could harm them', () => {
    for (const fault of ['delay', 'reorder', 'pause', 'loop-block', 'suspend', 'client-cut']) {
      expect(staying(fault, 'redis-getset'), fault).toBe(true);
      expect(staying(fault, 'redis-simple'), fault).toBe(false);
    }
    for (const fault of ['holder-crash', 'client-clock', 'lost-reply', 'swizzle'])
      expect(staying(fault, 'redis-getset'), fault).toBe(false);
  });

  test('the dead do not go on, nor does a clock that jumped', () => {
    expect(['pause', 'server-stop', 'client-cut'].map(goesOn)).toEqual([true, true, true]);
    expect(['holder-crash', 'client-clock', 'server-clock-back', 'failover'].map(goesOn)).toEqual([
      false,
      false,
      false,
      false,
    ]);
  });

  test('a newcomer comes where servers turn away who knows more than they do', () => {
    expect(meanings('restart-empty', 'zk/single')[0]?.hasNewcomer).toBe(true);
    expect(meanings('restart-empty', 'redis-simple')[0]?.hasNewcomer).toBe(false);
  });
});

test('without clocks that can be shifted the faults that need one are not played', () => {
  expect(['suspend', 'client-clock', 'server-clock-back'].map(still)).toEqual([true, true, true]);
  expect(still('server-clock-forward')).toBe(false);
});
