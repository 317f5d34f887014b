import { captionOf, headlineOf } from '../draw/index.ts';
import { type Answers, outcomesOf } from './answers.ts';
import { STILL } from './format-stuck.ts';
import type { Replayed } from './replay.ts';

/** A replay for programs. */
export function replayedJson(replayed: Replayed, answers: Answers | undefined): object {
  const { story, scene, kind, hash, differences } = replayed;
  const { outcome, text } =
    scene === undefined ? { outcome: 'breaks', text: STILL } : headlineOf(scene);
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
