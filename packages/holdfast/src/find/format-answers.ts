import { captionOf, type Ink, OUTCOMES } from '@holdfast/check';
import { type Answers, outcomesOf } from './answers.ts';

/** One line for each lock: what became of it, and in a sentence how. */
export function formatAnswers(answers: Answers, ink: Ink): readonly string[] {
  const width = Math.max(...answers.scenes.map(({ title }) => title.length));
  const lines = outcomesOf(answers).flatMap(({ title, headline }, i) => {
    const { glyph, colour } = OUTCOMES[headline.outcome];
    const scene = answers.scenes[i];
    return [
      `${ink.colour(colour, glyph)} ${ink.bold(title.padEnd(width))}  ${ink.colour(colour, headline.text)}`,
      ...(scene === undefined
        ? []
        : [ink.dim(`  ${' '.repeat(width)}  ${captionOf(scene).slice(title.length + 2)}`)]),
    ];
  });
  return [ink.bold(answers.title), '', ...lines];
}
