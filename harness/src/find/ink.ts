import { styleText } from 'node:util';
import { coloured, paintFor } from '../compare/paint.ts';
import { plainStyle, type TextStyle } from '../draw/index.ts';

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
