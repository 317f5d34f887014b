import { type Conflict, claimsOf } from './conflict.ts';
import { lengthOf } from './format.ts';
import { headlineOf } from './headline.ts';
import type { Scene } from './scene.ts';

const WORDS_MAX = 25;

/** The scene in at most 25 words: the caption below a picture, and its text for screen readers. */
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
  const conflict = conflictOf(scene);
  if (outcome === 'breaks' && scene.property === 'resource') return `${text.toLowerCase()}.`;
  if (outcome === 'holds' || (outcome === 'nothing' && scene.unproved !== undefined))
    return turnsOf(scene);
  if (conflict === undefined) return `${text.replace(/^[A-Z ]+: /, '')}.`;
  const { first, second, key } = conflict;
  return conflict.kind === 'broken'
    ? `${first} and ${second} both hold ${key} validly${durationOf(conflict)}.`
    : `${first}'s lease has ended, yet it continues${durationOf(conflict)} while ${second} has ${key}.`;
}

/** The conflict that the headline of a scene is about. */
export function conflictOf(scene: Scene): Conflict | undefined {
  const { conflicts } = claimsOf(scene);
  const { outcome } = headlineOf(scene);
  return (
    conflicts.find(({ kind }) => kind === (outcome === 'late' ? 'late' : 'broken')) ?? conflicts[0]
  );
}

/** The holders in order, for a scene in which nothing goes wrong. */
function turnsOf(scene: Scene): string {
  const spans = claimsOf(scene).valid.toSorted((a, b) => a.fromMs - b.fromMs);
  const [first, second, ...more] = spans;
  if (first === undefined) return 'no client acquires the key.';
  if (second === undefined) return `only ${first.client} acquires ${first.key}.`;
  if (more.length > 0)
    return `${listed(spans.map(({ client }) => client))} hold ${first.key} in turn.`;
  return `${second.client} has ${second.key} ${lengthOf(second.fromMs - first.untilMs)} after ${first.client}.`;
}

function listed(names: readonly string[]): string {
  return `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}

function durationOf({ fromMs, untilMs }: Conflict): string {
  return Number.isFinite(untilMs) ? ` for ${lengthOf(untilMs - fromMs)}` : ' without end';
}
