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
  result: ExhaustiveResult,
  request: ExhaustiveRequest,
  path: string,
  ink: TextStyle,
): readonly string[] {
  const { found } = result;
  return found === undefined
    ? formatNone(result, request)
    : [
        ...drawText(sceneOf(found.played, found.story), { ink }).split('\n'),
        '',
        ...howFound(result, found),
        ...formatReplay(found.story, path),
      ];
}

function howFound(
  { runs, plays, scope }: ExhaustiveResult,
  { story }: Pick<TracedStory, 'story'>,
): readonly string[] {
  const { choices = [] } = story.schedule;
  return wrapped(
    `Found in interleaving ${runs} of ${scopeText(scope)}, shortened in ${plays} plays. The steps whose order matters: ${choices.join(', ')}.`,
    0,
  );
}

function formatNone(
  result: ExhaustiveResult,
  { lock, target }: ExhaustiveRequest,
): readonly string[] {
  const { runs, abandoned, isComplete, scope, timeModels } = result;
  const violation = TARGET_TEXTS[propertyName(target)] ?? propertyName(target);
  return [
    isComplete
      ? `COMPLETE: ${runs} interleavings, none`
      : `INCOMPLETE: none in ${runs} interleavings, and there are more`,
    ...wrapped(
      `${lock}, ${scopeText(scope)}, while ${timeModelText(timeModels)}. ${
        isComplete
          ? `No order of these steps shows ${violation}: any other is equivalent to one of the ${runs}. ${abandoned} more were abandoned as equivalent.`
          : `None so far shows ${violation}. A larger --budget continues.`
      }`,
      0,
    ),
  ];
}

function timeModelText(timeModels: ExhaustiveResult['timeModels']): string {
  if (timeModels.includes('calls are over'))
    return 'one ttl passes at any moment at which no message is on its way';
  const late = timeModels.includes('calls time out') ? 'included' : 'not included';
  return `one ttl passes at any moment; calls that time out ${late}`;
}

function scopeText({ clients, nodes, inOrder = false }: ExhaustiveResult['scope']): string {
  const servers = nodes === 1 ? 'one node' : `${nodes} nodes`;
  const order = inOrder ? ', whose replies reach each client in the order of the nodes' : '';
  return `${clients} clients of one round each on ${servers}${order}`;
}

/** For programs. */
export function exhaustiveJson(
  result: ExhaustiveResult,
  request: ExhaustiveRequest,
  holdfast: string,
): object {
  const { found, runs, abandoned, isComplete, scope, timeModels, plays } = result;
  return {
    format: 'holdfast-sweep',
    version: 1,
    holdfast,
    lock: request.lock,
    property: request.target.property,
    budget: request.budget,
    ...scope,
    rounds: 1,
    tempos: timeModels,
    found: found !== undefined,
    complete: isComplete && found === undefined,
    interleavings: runs,
    left: abandoned,
    ...(found === undefined ? {} : { plays, ...foundJson(found) }),
  };
}

function foundJson({ played, story, violation }: Omit<TracedStory, 'plays'>): object {
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
