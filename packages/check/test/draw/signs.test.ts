import { expect, test } from 'vitest';
import { COLUMNS, OUTCOMES, RING, signOf } from '../../src/draw/notation.ts';

const LABORATORY = ['redis-simple/sentinel', 'zk/single'];
const SIGNS = [...Object.keys(COLUMNS), ...LABORATORY].map((id) => ({ id, ...signOf(id) }));

test('two columns that stand side by side never have one glyph', () => {
  // The same lock over its first client, which no table shows beside it.
  const shown = SIGNS.filter(
    ({ id }) => id !== 'redis-simple/ioredis' && id !== 'redis-simple/node-redis',
  );

  expect(new Set(shown.map(({ glyph }) => glyph)).size).toBe(shown.length);
  expect(signOf('redis-simple/ioredis').glyph).not.toBe(signOf('redis-simple/node-redis').glyph);
});

test('no backend looks like an outcome, or is red', () => {
  const outcomes = Object.values(OUTCOMES).map(({ glyph }) => glyph);

  for (const { glyph, colour } of SIGNS) {
    expect(outcomes).not.toContain(glyph);
    expect(colour).not.toBe(RING.colour);
  }
});

test('the locks that are drawn in one chart differ in shape, not in colour alone', () => {
  const locks = ['redis-simple', 'redis-getset', 'redlock', 'zk'].map(signOf);

  expect(new Set(locks.map(({ shape }) => shape)).size).toBe(4);
  expect(new Set(locks.map(({ colour }) => colour)).size).toBe(4);
});

test('a variant has the colour of its backend, and the outline of its glyph', () => {
  expect(signOf('zk')).toEqual({ glyph: '▲', colour: 'cyan', shape: 'triangle', isHollow: false });
  expect(signOf('zk/single')).toEqual({
    glyph: '△',
    colour: 'cyan',
    shape: 'triangle',
    isHollow: true,
  });
});

test('a backend that nobody knows has a sign, too', () => {
  expect(signOf('mine').glyph).toBe('•');
});
