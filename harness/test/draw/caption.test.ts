import { describe, expect, test } from 'vitest';
import { mutualExclusion, overlapMs } from '../../src/check/index.ts';
import { captionOf, headlineOf, meaningOf } from '../../src/draw/index.ts';
import { type Line, story } from '../check/support/story.ts';
import { failover } from './scenes.ts';

/** `a` is valid until 20 ms, `b` from when it says. */
function secondAt(fromMs: number): readonly Line[] {
  return [
    [0, 'a1', { type: 'acquire' }],
    [1, 'a1', { type: 'granted', validUntilMs: 20 }],
    [2, 'b1', { type: 'acquire' }],
    [fromMs, 'b1', { type: 'granted', validUntilMs: 40 }],
  ];
}

function sceneOf(...lines: readonly Line[]): typeof failover {
  const history = story(...lines);
  return { ...failover, history, verdicts: [mutualExclusion(history)], faults: [] };
}

describe('how long two hold at once', () => {
  test('is said in microseconds where a tenth of a millisecond would be nothing', () => {
    const scene = sceneOf(...secondAt(19.998));

    expect(captionOf(scene)).toMatch(/both hold k validly for 2 µs\.$/);
    expect(meaningOf(scene)).toContain('had 2 µs left');
  });

  test('is said in milliseconds where it is longer', () => {
    expect(captionOf(sceneOf(...secondAt(19.9)))).toMatch(/ for 0\.1 ms\.$/);
    expect(captionOf(sceneOf(...secondAt(8)))).toMatch(/ for 12 ms\.$/);
  });

  test('is what the judge compares: by validity, and by belief', () => {
    const history = story(
      ...secondAt(18),
      [19, 'a1', { type: 'enter' }],
      [20, 'b1', { type: 'enter' }],
      [25, 'a1', { type: 'exit' }],
    );

    expect(overlapMs(history, 'validity')).toBe(2);
    expect(overlapMs(history, 'belief')).toBe(5);
    expect(overlapMs(story(...secondAt(21)), 'validity')).toBe(0);
  });

  test('is nothing in a history that cannot be relied on', () => {
    const [first, ...rest] = story(...secondAt(18));

    expect(overlapMs([...rest, first!], 'validity')).toBe(0);
  });
});

describe('a scene in which nothing goes wrong', () => {
  test('says who held in turn, and not its headline again', () => {
    const scene = sceneOf(...secondAt(23.5));

    expect(headlineOf(scene).text).toBe('LOCK HOLDS: one holder at a time');
    expect(captionOf(scene)).toMatch(/: b has k 3\.5 ms after a\.$/);
  });

  test('says so if at most one client ever held', () => {
    const [ask, grant] = secondAt(1);

    expect(captionOf(sceneOf(ask!, grant!))).toMatch(/: only a acquires k\.$/);
    expect(captionOf(sceneOf(ask!))).toMatch(/: no client acquires the key\.$/);
  });

  test('names all where there are more than two', () => {
    const scene = sceneOf(
      ...secondAt(23),
      [41, 'c1', { type: 'acquire' }],
      [42, 'c1', { type: 'granted', validUntilMs: 60 }],
    );

    expect(captionOf(scene)).toMatch(/: a, b and c hold k in turn\.$/);
  });

  test('proves nothing where the fault was none, and says why', () => {
    const scene = { ...sceneOf(...secondAt(23)), unproved: 'the fault takes no effect' };

    expect(headlineOf(scene)).toEqual({
      outcome: 'nothing',
      text: 'PROVED NOTHING: the fault takes no effect',
    });
    expect(meaningOf(scene)).toBe(
      'Under this schedule the fault takes no effect, so nothing follows from it.',
    );
  });

  test('is broken if two hold at once, even if a fault did not take effect', () => {
    const scene = { ...sceneOf(...secondAt(10)), unproved: 'not all faults take effect' };

    expect(headlineOf(scene).outcome).toBe('breaks');
  });
});
