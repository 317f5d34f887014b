import { captionOf, OUTCOMES, type Scene, type TextStyle } from '../draw/index.ts';
import { type LockComparison, outcomesOf } from './lock-comparison.ts';

/** One line for each lock: what became of it, then in a sentence how, and what the matrix knows of it besides. */
export function formatLockComparison(answers: LockComparison, ink: TextStyle): readonly string[] {
  const width = Math.max(...answers.scenes.map(({ title }) => title.length));
  const indent = ' '.repeat(width + 4);
  const lines = outcomesOf(answers).flatMap(({ title, headline }, i) => {
    const { glyph, colour } = OUTCOMES[headline.outcome];
    return [
      `${ink.colour(colour, glyph)} ${ink.bold(title.padEnd(width))}  ${ink.colour(colour, headline.text)}`,
      ...more(answers.scenes[i], ink).map((line) => `${indent}${line}`),
    ];
  });
  return [ink.bold(answers.title), '', ...lines];
}

function more(scene: Scene | undefined, ink: TextStyle): readonly string[] {
  if (scene === undefined) return [];
  const { title, remark } = scene;
  const caption = ink.dim(captionOf(scene).slice(title.length + 2));
  if (remark === undefined) return [caption];
  return [caption, ink.colour(OUTCOMES[remark.outcome].colour, remark.text)];
}
