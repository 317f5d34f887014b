import { wrapped } from '../compare/table.ts';
import { captionOf, drawText, headlineOf, meaningOf, type TextStyle } from '../draw/index.ts';
import { formatReplay } from '../find/format-finding.ts';
import { sceneOf } from '../find/scene-of.ts';
import { propertyName, type TracedStory } from '../search/index.ts';
import { storyToString } from '../simulator/index.ts';
import type { ExhaustiveRequest, ExhaustiveResult } from './search-exhaustively.ts';

/** The violation that each property's search looks for. */
const TARGET_TEXTS: Readonly<Record<string, string>> = {
  validity: 'two valid holders',
  belief: 'a late holder',
  liveness: 'an operation that never ends',
};

/** For people, the verdict first. */
export function formatExhaustive(
  swept: ExhaustiveResult,
  quest: ExhaustiveRequest,
  path: string,
  ink: TextStyle,
): readonly string[] {
  const { told } = swept;
  return told === undefined
    ? formatNone(swept, quest)
    : [
        ...drawText(sceneOf(told.played, told.story), { ink }).split('\n'),
        '',
        ...howFound(swept, told),
        ...formatReplay(told.story, path),
      ];
}

function howFound(
  { runs, plays, scope }: ExhaustiveResult,
  { story }: Pick<TracedStory, 'story'>,
): readonly string[] {
  const { choices = [] } = story.schedule;
  return wrapped(
    `Found in interleaving ${runs} of ${scopeText(scope)}, made short in ${plays} plays. What matters of its order: ${choices.join(', ')}.`,
    0,
  );
}

function formatNone(
  swept: ExhaustiveResult,
  { lock, target }: ExhaustiveRequest,
): readonly string[] {
  const { runs, left, isComplete, scope, timeModels } = swept;
  const sought = TARGET_TEXTS[propertyName(target)] ?? propertyName(target);
  return [
    isComplete
      ? `COMPLETE: ${runs} interleavings, none`
      : `INCOMPLETE: none in ${runs} interleavings, and there are more`,
    ...wrapped(
      `${lock}, ${scopeText(scope)}, while ${timeModelText(timeModels)}. ${
        isComplete
          ? `No order of these steps shows ${sought}: any other comes to the same as one of the ${runs}. ${left} more were recognised on the way as coming to the same.`
          : `None so far shows ${sought}. A larger --budget continues.`
      }`,
      0,
    ),
  ];
}

function timeModelText(tempos: ExhaustiveResult['timeModels']): string {
  if (tempos.includes('calls are over'))
    return 'one ttl passes at any moment at which nothing is on its way';
  const late = tempos.includes('calls time out') ? 'included' : 'not included';
  return `one ttl passes at any moment; calls that time out ${late}`;
}

function scopeText({ clients, nodes, inOrder = false }: ExhaustiveResult['scope']): string {
  const where = nodes === 1 ? 'one node' : `${nodes} nodes`;
  const order = inOrder ? ', whose answers reach each client in the order of the nodes' : '';
  return `${clients} clients of one round each on ${where}${order}`;
}

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
