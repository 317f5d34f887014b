import { styleText } from 'node:util';
import { mark, OUTCOMES, type OutcomeId, plainStyle, RING, type TextStyle } from '../draw/index.ts';
import { signOf } from '../locks/index.ts';

/** Colours text for a terminal, or returns it unchanged. */
export interface Paint {
  mark(outcome: OutcomeId, unexpected: boolean): string;
  /** A column's name, by its id, in the colour of its backend. */
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

/** Colour only on a terminal, and not if NO_COLOR is set (https://no-color.org). */
export function paintFor(stream: { readonly isTTY?: boolean }, env: NodeJS.ProcessEnv): Paint {
  const isPlain = (env['NO_COLOR'] ?? '') !== '' || env['TERM'] === 'dumb';
  return stream.isTTY === true && !isPlain ? coloured : plain;
}

/** Escape codes of a terminal. */
const terminalInk: TextStyle = {
  colour: (name, text) => styleText(name, text),
  bold: (text) => styleText('bold', text),
  dim: (text) => styleText('dim', text),
};

/** The style for drawings in text, under the conditions of {@link paintFor}. */
export function inkFor(stream: { readonly isTTY?: boolean }, env: NodeJS.ProcessEnv): TextStyle {
  return paintFor(stream, env) === coloured ? terminalInk : plainStyle;
}
