import { captionOf, headlineOf } from '@holdfast/check';
import { type Answers, outcomesOf } from './answers.ts';
import type { Replayed } from './replay.ts';

/** A replay for programs. */
export function replayedJson(replayed: Replayed, answers: Answers | undefined): object {
  const { story, scene, kind, hash, differences } = replayed;
  const { outcome, text } = headlineOf(scene);
  return {
    format: 'holdfast-replay',
    version: 1,
    same: differences.length === 0,
    differences,
    got: { kind, hash },
    outcome,
    headline: text,
    caption: captionOf(scene),
    story,
    ...(answers === undefined
      ? {}
      : {
          answers: outcomesOf(answers).map(({ title, headline }) => ({
            lock: title,
            outcome: headline.outcome,
            headline: headline.text,
          })),
        }),
  };
}
