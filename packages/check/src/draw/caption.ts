import { type Clash, claimsOf } from './clash.ts';
import { headlineOf } from './headline.ts';
import { ms } from './ms.ts';
import type { Scene } from './scene.ts';

const WORDS_MAX = 25;

/** The scene in at most 25 words: what stands below a picture, and what is read out instead of it. */
export function captionOf(scene: Scene): string {
  const text = `${scene.title}: ${pointOf(scene)}`;
  const words = text.split(/\s+/);
  return words.length <= WORDS_MAX
    ? text
    : `${words
        .slice(0, WORDS_MAX)
        .join(' ')
        .replace(/[,;:.]$/, '')}…`;
}

function pointOf(scene: Scene): string {
  const { outcome, text } = headlineOf(scene);
  const clash = clashOf(scene);
  if (outcome === 'breaks' && scene.property === 'resource') return `${text.toLowerCase()}.`;
  if (clash === undefined) return `${text.replace(/^[A-Z ]+: /, '')}.`;
  const { first, second, key } = clash;
  return clash.kind === 'broken'
    ? `${first} and ${second} both hold ${key} validly${forLong(clash)}.`
    : `${first}'s lease is over, yet it goes on${forLong(clash)} while ${second} has ${key}.`;
}

/** The clash that a scene is about. */
export function clashOf(scene: Scene): Clash | undefined {
  const { clashes } = claimsOf(scene);
  const { outcome } = headlineOf(scene);
  return (
    clashes.find(({ kind }) => kind === (outcome === 'late' ? 'late' : 'broken')) ?? clashes[0]
  );
}

function forLong({ fromMs, untilMs }: Clash): string {
  return Number.isFinite(untilMs) ? ` for ${ms(untilMs - fromMs)} ms` : ' without end';
}
