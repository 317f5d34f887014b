import { captionOf, headlineOf, meaningOf } from '../draw/index.ts';
import { sceneOf } from '../find/scene-of.ts';
import type { TracedStory } from '../search/index.ts';
import { storyToString } from '../simulator/index.ts';
import type { ExhaustiveRequest, ExhaustiveResult } from './search-exhaustively.ts';

/** For programs. */
export function exhaustiveJson(
  swept: ExhaustiveResult,
  quest: ExhaustiveRequest,
  holdfast: string,
): object {
  const { told, runs, left, isComplete, scope, timeModels, plays } = swept;
  return {
    format: 'holdfast-sweep',
    version: 1,
    holdfast,
    lock: quest.lock,
    property: quest.target.property,
    budget: quest.budget,
    ...scope,
    rounds: 1,
    tempos: timeModels,
    found: told !== undefined,
    complete: isComplete && told === undefined,
    interleavings: runs,
    left,
    ...(told === undefined ? {} : { plays, ...found(told) }),
  };
}

function found({ played, story, violation }: Omit<TracedStory, 'plays'>): object {
  const scene = sceneOf(played, story);
  const { outcome, text } = headlineOf(scene);
  const { kind, property, message } = violation;
  return {
    outcome,
    headline: text,
    caption: captionOf(scene),
    meaning: meaningOf(scene),
    verdict: { property, kind, message },
    story,
    replay: storyToString(story),
  };
}
