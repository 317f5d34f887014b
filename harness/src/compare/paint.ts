import { styleText } from 'node:util';
import { mark, OUTCOMES, type OutcomeId, plainStyle, RING, type TextStyle } from '../draw/index.ts';
import { signOf } from '../locks/index.ts';

/** Puts colour on text, or leaves it alone where nobody sees it. */
export interface Paint {
  mark(outcome: OutcomeId, unexpected: boolean): string;
  /** Of a column by its id: in the colour of its backend. */
  name(id: string, text: string): string;
  bold(text: string): string;
  dim(text: string): string;
}

/** For pipes, files and NO_COLOR. */
export const plain: Paint = {
  mark,
  name: (_, text) => text,
  bold: (text) => text,
  dim: (text) => text,
};

/** For terminals. */
export const coloured: Paint = {
  mark: (outcome, unexpected) =>
    styleText(unexpected ? RING.colour : OUTCOMES[outcome].colour, mark(outcome, unexpected)),
  name: (id, text) => styleText(['bold', signOf(id).colour], text),
  bold: (text) => styleText('bold', text),
  dim: (text) => styleText('dim', text),
};

/** Colour only where a person looks on, and has not asked to be spared (https://no-color.org). */
export function paintFor(stream: { readonly isTTY?: boolean }, env: NodeJS.ProcessEnv): Paint {
  const spared = (env['NO_COLOR'] ?? '') !== '' || env['TERM'] === 'dumb';
  return stream.isTTY === true && !spared ? coloured : plain;
}

/** Escape codes of a terminal. */
const terminalInk: TextStyle = {
  colour: (name, text) => styleText(name, text),
  bold: (text) => styleText('bold', text),
  dim: (text) => styleText('dim', text),
};

/** Colour under the same conditions as everywhere. */
export function inkFor(stream: { readonly isTTY?: boolean }, env: NodeJS.ProcessEnv): TextStyle {
  return paintFor(stream, env) === coloured ? terminalInk : plainStyle;
}
