import type { Colour } from './notation.ts';

/** Puts colour on text where somebody sees it; escape codes are the terminal's business, so whoever prints brings them. */
export interface TextStyle {
  colour(name: Colour, text: string): string;
  bold(text: string): string;
  dim(text: string): string;
}

/** For pipes, files and dumb terminals. */
export const plainStyle: TextStyle = {
  colour: (_name, text) => text,
  bold: (text) => text,
  dim: (text) => text,
};
