import { type Conflict, claimsOf } from './conflict.ts';
import { lengthOf } from './format.ts';
import { headlineOf } from './headline.ts';
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
  if (outcome === 'holds' || (outcome === 'nothing' && scene.unproved !== undefined))
    return turnsOf(scene);
  if (clash === undefined) return `${text.replace(/^[A-Z ]+: /, '')}.`;
  const { first, second, key } = clash;
  return clash.kind === 'broken'
    ? `${first} and ${second} both hold ${key} validly${forLong(clash)}.`
    : `${first}'s lease is over, yet it continues${forLong(clash)} while ${second} has ${key}.`;
}

/** The clash that a scene is about. */
export function clashOf(scene: Scene): Conflict | undefined {
  const { clashes } = claimsOf(scene);
  const { outcome } = headlineOf(scene);
  return (
    clashes.find(({ kind }) => kind === (outcome === 'late' ? 'late' : 'broken')) ?? clashes[0]
  );
}

/** Who held in turn: what is to be seen where nothing goes wrong. */
function turnsOf(scene: Scene): string {
  const spans = claimsOf(scene).valid.toSorted((a, b) => a.fromMs - b.fromMs);
  const [first, second, ...more] = spans;
  if (first === undefined) return 'nobody gets the key.';
  if (second === undefined) return `only ${first.client} gets ${first.key}.`;
  if (more.length > 0)
    return `${listed(spans.map(({ client }) => client))} hold ${first.key} in turn.`;
  return `${second.client} has ${second.key} ${lengthOf(second.fromMs - first.untilMs)} after ${first.client}.`;
}

function listed(names: readonly string[]): string {
  return `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}

function forLong({ fromMs, untilMs }: Conflict): string {
  return Number.isFinite(untilMs) ? ` for ${lengthOf(untilMs - fromMs)}` : ' without end';
}
