import { expect, test } from 'vitest';
import { signOfStyle } from '../../src/draw/notation.ts';

test('a sign says if only its outline is drawn', () => {
  const style = { colour: 'cyan', shape: 'triangle' } as const;

  expect(signOfStyle({ ...style, glyph: '▲' })).toEqual({ ...style, glyph: '▲', isHollow: false });
  expect(signOfStyle({ ...style, glyph: '△' })).toEqual({ ...style, glyph: '△', isHollow: true });
});

test('an unknown lock has a sign, too', () => {
  expect(signOfStyle().glyph).toBe('•');
});
