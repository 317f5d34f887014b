/** Colours and glyphs of outcomes, and the styles of locks: one notation for terminal, drawings, page and docs. */

/** The outcome of one fault on one backend. */
export type OutcomeId = 'holds' | 'late' | 'breaks' | 'inert' | 'n/a' | 'nothing';

/** Names of terminal colours for `styleText` of Node; pictures use the colours of {@link SHADES}. */
export type Colour = 'green' | 'yellow' | 'red' | 'gray' | 'magenta' | 'blue' | 'cyan';

export interface Outcome {
  readonly glyph: string;
  readonly colour: Colour;
  /** For legends. */
  readonly meaning: string;
}

/** All outcomes, in the order of legends. */
export const OUTCOMES: Readonly<Record<OutcomeId, Outcome>> = {
  holds: { glyph: '✓', colour: 'green', meaning: 'holds' },
  late: {
    glyph: '◐',
    colour: 'yellow',
    meaning: 'late holder: the lock was right, its holder continued too long',
  },
  breaks: { glyph: '✗', colour: 'red', meaning: 'broken' },
  inert: { glyph: '–', colour: 'gray', meaning: 'inert: the fault cannot matter here' },
  'n/a': { glyph: '–', colour: 'gray', meaning: 'not applicable' },
  nothing: { glyph: '?', colour: 'magenta', meaning: 'proved nothing' },
};

/** The ring around the glyph of an outcome that is not the expected one, better or worse. */
export const RING: { readonly before: string; readonly after: string; readonly colour: Colour } = {
  before: '(',
  after: ')',
  colour: 'red',
};

/** A glyph, ringed if it is unexpected; always three characters wide. */
export function mark(outcome: OutcomeId, unexpected: boolean): string {
  const { glyph } = OUTCOMES[outcome];
  return unexpected ? `${RING.before}${glyph}${RING.after}` : ` ${glyph} `;
}

/** A column of a comparison: a backend, and its client library if there is a choice. */
export interface Column {
  /** Stable, for programs; never renamed. */
  readonly id: string;
  readonly backend: string;
  /** The client library, if there is a choice. */
  readonly client?: string;
  /** One sentence that introduces it. */
  readonly meaning: string;
}

/** The mark of a lock in tables and charts. Its name is always beside it, and all marks differ in gray too. */
export interface Style {
  readonly glyph: string;
  /** Red is reserved for broken and unexpected outcomes. */
  readonly colour: Exclude<Colour, 'red'>;
  /** The name of the glyph in charts. */
  readonly shape: 'circle' | 'square' | 'diamond' | 'triangle' | 'star';
}

export interface Sign extends Style {
  /** Only its outline is drawn. */
  readonly isHollow: boolean;
}

/** The style of locks that only their names distinguish. */
const UNMARKED: Style = { glyph: '•', colour: 'gray', shape: 'circle' };

const HOLLOW: ReadonlySet<string> = new Set(['☆', '□', '◇', '○', '◎', '△', '⬡']);

/** The sign of a style; without a style a neutral one. */
export function signOfStyle(style: Style = UNMARKED): Sign {
  return { ...style, isHollow: HOLLOW.has(style.glyph) };
}

/** The shades of each colour in a picture, on light and on dark paper, with a contrast of 4.5 or more. */
export const SHADES: Readonly<Record<Colour, { readonly light: string; readonly dark: string }>> = {
  green: { light: '#1a7f37', dark: '#3fb950' },
  yellow: { light: '#8a5a00', dark: '#e3b341' },
  red: { light: '#c4161c', dark: '#ff7b72' },
  gray: { light: '#57606a', dark: '#9198a1' },
  magenta: { light: '#8250df', dark: '#d2a8ff' },
  blue: { light: '#0a58ca', dark: '#79b8ff' },
  cyan: { light: '#0b6b7a', dark: '#56d4dd' },
};

/** The characters of a timeline for the state of a client or node at a moment. */
export const RAILS: {
  readonly idle: string;
  readonly waits: string;
  readonly valid: string;
  readonly late: string;
  readonly dead: string;
  readonly free: string;
  readonly nothing: string;
} = {
  idle: ' ',
  waits: '·',
  valid: '█',
  late: '░',
  dead: '†',
  free: '-',
  nothing: ' ',
};

/** The glyph before the text of a fault. */
export const FAULT_GLYPH: string = '↯';

/** Styles text for its output; the caller that prints provides the escape codes of its terminal. */
export interface TextStyle {
  colour(name: Colour, text: string): string;
  bold(text: string): string;
  dim(text: string): string;
}

/** The style of pipes, files and terminals without colour. */
export const plainStyle: TextStyle = {
  colour: (_name, text) => text,
  bold: (text) => text,
  dim: (text) => text,
};
