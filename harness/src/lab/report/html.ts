import { signOf } from '../../locks/index.ts';

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
};

/** Escapes text, or a number: a report read from a file may contain anything. */
export function escaped(text: string | number): string {
  return String(text).replaceAll(/[&<>"]/g, (message) => ENTITIES[message] ?? message);
}

/** Makes an element; `content` is markup. */
export function tag(name: string, attributes: Attributes, content: string): string {
  const written = Object.entries(attributes)
    .flatMap(([key, value]) => (value === undefined ? [] : [` ${key}="${escaped(value)}"`]))
    .join('');
  return `<${name}${written}>${content}</${name}>`;
}

export type Attributes = Readonly<Record<string, string | number | undefined>>;

/** With fewer samples the 95th percentile is the maximum. */
const TAIL_SAMPLES_MIN = 20;

/** True if there are enough samples for a 95th percentile. */
export function hasTail({ samples }: { readonly samples: number }): boolean {
  return samples >= TAIL_SAMPLES_MIN;
}

/** Formats milliseconds for people. */
export function shownMs(ms: number | null): string {
  if (ms === null) return '–';
  if (ms >= 9_950) return `${Math.round(ms / 1_000)} s`;
  if (ms >= 995) return `${(ms / 1_000).toFixed(1)} s`;
  return ms >= 9.95 ? `${Math.round(ms)} ms` : `${ms.toFixed(1)} ms`;
}

/** The id of a cell's element on the page. */
export function cellId({
  column,
  fault,
}: {
  readonly column: string;
  readonly fault: string;
}): string {
  return `${column}-${fault}`.replaceAll(/[^a-z0-9]+/gi, '-');
}

/** The glyph of a backend in its colour. Screen readers read only the name that follows. */
export function signTag(id: string): string {
  const { glyph, colour } = signOf(id);
  return tag('span', { class: `sign ${colour}`, 'aria-hidden': 'true' }, glyph);
}
