import { captionOf, headlineOf } from '../draw/index.ts';
import { HANG_HEADLINE } from './format-hang-story.ts';
import { type LockComparison, outcomesOf } from './lock-comparison.ts';
import type { ReplayResult } from './replay.ts';

/** A replay for programs. */
export function replayJson(replayed: ReplayResult, answers: LockComparison | undefined): object {
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
    ...(answers === undefined
      ? {}
      : {
          answers: outcomesOf(answers).map(({ title, headline }, i) => ({
            lock: title,
            outcome: headline.outcome,
            headline: headline.text,
            remark: answers.scenes[i]?.remark?.text ?? null,
          })),
        }),
  };
}
