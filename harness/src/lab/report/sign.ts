import { signOf } from '../../locks/index.ts';
import { tag } from './html.ts';

/** The glyph of a backend in its colour; the name that follows is what is read out. */
export function signed(id: string): string {
  const { glyph, colour } = signOf(id);
  return tag('span', { class: `sign ${colour}`, 'aria-hidden': 'true' }, glyph);
}
