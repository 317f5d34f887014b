import { expect, test } from 'vitest';
import { OUTCOMES, RING } from '../../src/draw/index.ts';
import { CONTROL, LOCKS, signOf } from '../../src/locks/index.ts';

const COLUMNS = [CONTROL, ...LOCKS].flatMap(({ on }) => on.map(({ id }) => id));
const SIGNS = COLUMNS.map((id) => ({ id, ...signOf(id) }));

test('two columns that stand side by side never have one glyph', () => {
  // The same lock over its first client, which no table shows beside it.
  const shown = SIGNS.filter(
    ({ id }) => id !== 'redis-simple/ioredis' && id !== 'redis-simple/node-redis',
  );

  expect(new Set(shown.map(({ glyph }) => glyph)).size).toBe(shown.length);
  expect(signOf('redis-simple/ioredis').glyph).not.toBe(signOf('redis-simple/node-redis').glyph);
});

test('no lock looks like an outcome, or is red', () => {
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

test('a variant has the colour of its lock, and the outline of its glyph', () => {
  expect(signOf('zk')).toEqual({ glyph: '▲', colour: 'cyan', shape: 'triangle', isHollow: false });
  for (const variant of ['zk/single', 'zk/other'])
    expect(signOf(variant)).toEqual({
      glyph: '△',
      colour: 'cyan',
      shape: 'triangle',
      isHollow: true,
    });
});

test('a lock on another number of servers looks like a variant of it', () => {
  expect(signOf('redlock-7')).toEqual(signOf('redlock-3'));
  expect(signOf('redlock-10').glyph).toBe('•');
});

test('a lock that nobody knows has a sign, too', () => {
  expect(signOf('mine').glyph).toBe('•');
  expect(signOf('./mine.js').glyph).toBe('•');
});
