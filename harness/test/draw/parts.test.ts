import { describe, expect, test } from 'vitest';
import { claimsOf } from '../../src/draw/conflict.ts';
import { clockText } from '../../src/draw/format.ts';
import { shortTokens } from '../../src/draw/moments.ts';
import { SHADES } from '../../src/draw/notation.ts';
import { Rails } from '../../src/draw/rails.ts';
import { timeScale } from '../../src/draw/time-scale.ts';
import { type Line, story } from '../check/support/story.ts';
import { actor, failover, pause } from './scenes.ts';

describe('where two are in one another’s way', () => {
  test('it is broken while both leases are valid, and not for longer', () => {
    expect(claimsOf(failover).conflicts).toEqual([
      { kind: 'broken', key: 'k', first: 'A', second: 'B', fromMs: 12, untilMs: 40 },
    ]);
  });

  test('it is late from when the other one has the key, until either leaves', () => {
    expect(claimsOf(pause).conflicts).toEqual([
      { kind: 'late', key: 'k', first: 'A', second: 'B', fromMs: 1_003, untilMs: 1_014 },
    ]);
  });

  test('nothing conflicts in turns, nor on different keys', () => {
    const [here, other] = [
      { type: 'granted', validUntilMs: 20 },
      { type: 'granted', validUntilMs: 20, key: 'other' },
    ] as const;
    const history = story(
      [0, 'a1', { type: 'acquire' }],
      [1, 'a1', here],
      [2, 'b1', { type: 'acquire', key: 'other' }],
      [3, 'b1', other],
    );

    expect(claimsOf({ ...failover, history }).conflicts).toEqual([]);
  });
});

describe('the rails of a timeline', () => {
  const rails = new Rails(pause);
  const [a, , n1] = pause.actors;

  test.each([
    [0, '·', 'waits'],
    [500, '█', 'is valid'],
    [1_100, '░', 'only believes'],
    [1_208, ' ', 'has nothing to do with it'],
  ])('at %s ms the holder is shown as "%s": it %s', (atMs, glyph) => {
    expect(rails.at(a!, atMs).glyph).toBe(glyph);
  });

  test('a node names its current holder, and none once the key has expired', () => {
    expect(rails.at(n1!, 500).glyph).toBe('A');
    expect(rails.at(n1!, 1_001).glyph).toBe('-');
    expect(rails.at(n1!, 1_005).glyph).toBe('B');
  });
});

describe('a clock', () => {
  test('shows what it showed then, jumps and drift included', () => {
    const clock = [
      { atMs: 0, wallMs: 0 },
      { atMs: 1_000, wallMs: 61_000 },
      { atMs: 2_000, wallMs: 62_000, rate: 2 },
    ];
    const node = { id: 'n1', kind: 'node', clock } as const;

    expect([999, 1_000, 3_000].map((atMs) => clockText(node, atMs))).toEqual([
      '00:00:00.999',
      '00:01:01.000',
      '00:01:04.000',
    ]);
  });

  test('that is behind midnight shows the evening before', () => {
    expect(clockText(actor('A', 'client', -1), 0)).toBe('23:59:59.999');
  });

  test('that no client reads shows nothing', () => {
    expect(clockText({ id: 'counter', kind: 'resource', clock: [] }, 5)).toBe('');
  });
});

describe('the time scale', () => {
  const times = [0, 1, 2, 3, 1_000, 60_000];
  const scale = timeScale(times, [0, 1, 1_000], 100, 900);

  test('goes from edge to edge, and never back', () => {
    const places = times.map((atMs) => scale.x(atMs));

    expect(places).toEqual(places.toSorted((a, b) => a - b));
    expect([places[0], places.at(-1)]).toEqual([100, expect.closeTo(900, 6)]);
  });

  test('finds the time at a position, and the ends beyond it', () => {
    const between = [0, 0.5, 1, 2.25, 500, 30_000, 60_000];

    expect(between.map((atMs) => scale.msAt(scale.x(atMs)))).toEqual(
      between.map((atMs) => expect.closeTo(atMs, 6)),
    );
    expect([scale.msAt(0), scale.msAt(2_000)]).toEqual([0, 60_000]);
  });

  test('keeps numbers apart, a millisecond beside a minute', () => {
    expect(scale.x(1) - scale.x(0)).toBeGreaterThanOrEqual(17);
  });

  test('marks where it leaves out idle time', () => {
    expect(scale.cuts).toHaveLength(2);
  });

  test('stays within its edges when there is more than fits', () => {
    const many = Array.from({ length: 500 }, (_, i) => i);
    const crowded = timeScale(many, many, 0, 100);

    expect(crowded.x(499)).toBeCloseTo(100, 6);
  });
});

describe('tokens', () => {
  test('are cut to where they begin to differ', () => {
    const short = shortTokens(story(granted('1735689600001000'), granted('1735689600041000')));

    expect(short('1735689600041000', 'token ')).toBe('token …41000');
  });

  test('that are short, or of different lengths, are left alone', () => {
    expect(shortTokens(story(granted('7'), granted('8')))('7', 'token ')).toBe('token 7');
    expect(shortTokens(story(granted('999'), granted('1000')))('999', '')).toBe('999');
    expect(shortTokens([])(undefined, 'token ')).toBe('');
  });
});

function granted(token: string): Line {
  return [0, 'a1', { type: 'granted', validUntilMs: 1, token }];
}

test('every colour can be read on its paper', () => {
  for (const { light, dark } of Object.values(SHADES)) {
    expect(contrast(light, '#ffffff')).toBeGreaterThanOrEqual(4.5);
    expect(contrast(dark, '#0d1117')).toBeGreaterThanOrEqual(4.5);
  }
});

/** As WCAG 2.1 defines it. */
function contrast(a: string, b: string): number {
  const [dark = 0, light = 0] = [luminance(a), luminance(b)].toSorted((x, y) => x - y);
  return (light + 0.05) / (dark + 0.05);
}

function luminance(colour: string): number {
  const [r = 0, g = 0, b = 0] = [1, 3, 5].map((at) => {
    const share = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return share <= 0.03928 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}
