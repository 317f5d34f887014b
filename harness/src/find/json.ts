import { captionOf, headlineOf, meaningOf } from '../draw/index.ts';
import { storyToString } from '../simulator/index.ts';
import type { SearchFinding } from './find.ts';
import { HANG_HEADLINE } from './format-finding.ts';
import { type LockComparison, outcomesOf } from './lock-comparison.ts';
import type { ReplayResult } from './replay.ts';
import { sceneOf } from './scene-of.ts';
import type { SearchRequest } from './search-request.ts';

/** A finding as JSON. */
export function findingJson(
  finding: SearchFinding,
  request: SearchRequest,
  holdfast: string,
): object {
  const { lock, faults, fenced, property = null, budget, seed } = request;
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
  if (finding.kind === 'hang') return { ...head, found: true, ...hangFields(finding) };
  return { ...head, found: true, ...searched(finding), ...found(finding) };
}

function found({ traced, n }: Extract<SearchFinding, { kind: 'found' }>): object {
  const scene = sceneOf(traced.played, traced.story);
  const { outcome, text } = headlineOf(scene);
  const { kind, property, message } = traced.violation;
  return {
    outcome,
    headline: text,
    caption: captionOf(scene),
    meaning: meaningOf(scene),
    verdict: { property, kind, message },
    foundAt: n,
    plays: traced.plays,
    story: traced.story,
    replay: storyToString(traced.story),
  };
}

function hangFields({ message, story, plays }: Extract<SearchFinding, { kind: 'hang' }>): object {
  const { schedule } = story;
  const replay = storyToString(story);
  return { outcome: 'breaks', headline: HANG_HEADLINE, message, schedule, plays, story, replay };
}

function searched({ tally }: Extract<SearchFinding, { kind: 'found' | 'none' }>): object {
  return { schedules: tally.schedules, effective: tally.effective };
}

/** A replay as JSON. */
export function replayJson(replayed: ReplayResult, comparison: LockComparison | undefined): object {
  const { story, scene, kind, hash, differences } = replayed;
  const { outcome, text } =
    scene === undefined ? { outcome: 'breaks', text: HANG_HEADLINE } : headlineOf(scene);
  return {
    format: 'holdfast-replay',
    version: 1,
    same: differences.length === 0,
    differences,
    got: { kind, hash },
    outcome,
    headline: text,
    caption: scene === undefined ? null : captionOf(scene),
    story,
    ...(comparison === undefined
      ? {}
      : {
          answers: outcomesOf(comparison).map(({ title, headline }, i) => ({
            lock: title,
            outcome: headline.outcome,
            headline: headline.text,
            remark: comparison.scenes[i]?.remark?.text ?? null,
          })),
        }),
  };
}
