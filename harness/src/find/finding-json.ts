import { captionOf, headlineOf, meaningOf } from '../draw/index.ts';
import { storyToString } from '../simulator/index.ts';
import type { SearchFinding } from './find.ts';
import { HANG_HEADLINE } from './format-hang-story.ts';
import { sceneOf } from './scene-of.ts';
import type { SearchRequest } from './search-request.ts';

/** A finding for programs. */
export function findingJson(
  finding: SearchFinding,
  quest: SearchRequest,
  holdfast: string,
): object {
  const { lock, faults, fenced, property = null, budget, seed } = quest;
  const head = {
    format: 'holdfast-find',
    version: 1,
    holdfast,
    lock,
    faults,
    fenced,
    property,
    budget,
    seed,
  };
  if (finding.kind === 'none') return { ...head, found: false, ...searched(finding) };
  if (finding.kind === 'still') return { ...head, found: true, ...hangFields(finding) };
  return { ...head, found: true, ...searched(finding), ...found(finding) };
}

function found({ told, n }: Extract<SearchFinding, { kind: 'found' }>): object {
  const scene = sceneOf(told.played, told.story);
  const { outcome, text } = headlineOf(scene);
  const { kind, property, message } = told.violation;
  return {
    outcome,
    headline: text,
    caption: captionOf(scene),
    meaning: meaningOf(scene),
    verdict: { property, kind, message },
    foundAt: n,
    plays: told.plays,
    story: told.story,
    replay: storyToString(told.story),
  };
}

function hangFields({ message, story, plays }: Extract<SearchFinding, { kind: 'still' }>): object {
  const { schedule } = story;
  const replay = storyToString(story);
  return { outcome: 'breaks', headline: HANG_HEADLINE, message, schedule, plays, story, replay };
}

function searched({ tally }: Extract<SearchFinding, { kind: 'found' | 'none' }>): object {
  return { schedules: tally.schedules, effective: tally.effective };
}
