/** Colours and glyphs of outcomes, and what a style of a lock is: one notation for terminal, drawings, page and docs. */

/** What became of one fault on one backend. */
export type OutcomeId = 'holds' | 'late' | 'breaks' | 'inert' | 'n/a' | 'nothing';

/** Names of terminal colours that `styleText` of Node knows; pictures draw them as {@link SHADES} says. */
export type Colour = 'green' | 'yellow' | 'red' | 'gray' | 'magenta' | 'blue' | 'cyan';

export interface Outcome {
  readonly glyph: string;
  readonly colour: Colour;
  /** For legends. */
  readonly meaning: string;
}

/** In the order of legends. */
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

/** Around the glyph of an outcome that is not the expected one, whichever way it points. */
export const RING: { readonly before: string; readonly after: string; readonly colour: Colour } = {
  before: '(',
  after: ')',
  colour: 'red',
};

/** A glyph, ringed when it is unexpected, always as wide as three characters. */
export function mark(outcome: OutcomeId, unexpected: boolean): string {
  const { glyph } = OUTCOMES[outcome];
  return unexpected ? `${RING.before}${glyph}${RING.after}` : ` ${glyph} `;
}

/** What is compared: a backend, where it matters over one client library. */
export interface Column {
  /** Stable, for programs; never renamed. */
  readonly id: string;
  readonly backend: string;
  /** The client library, where there is a choice. */
  readonly client?: string;
  /** One sentence for people who do not know it. */
  readonly meaning: string;
}

/** By what a lock is known at a glance, wherever it stands. Its name stands beside it, and no two look alike in gray. */
export interface Style {
  readonly glyph: string;
  /** Red is for what is broken or unexpected. */
  readonly colour: Exclude<Colour, 'red'>;
  /** The glyph as charts call it. */
  readonly shape: 'circle' | 'square' | 'diamond' | 'triangle' | 'star';
}

export interface Sign extends Style {
  /** Only its outline is drawn. */
  readonly isHollow: boolean;
}

/** Of what is told apart by its name alone. */
const UNMARKED: Style = { glyph: '•', colour: 'gray', shape: 'circle' };

const HOLLOW: ReadonlySet<string> = new Set(['☆', '□', '◇', '○', '◎', '△']);

/** What is drawn of a style; of none, a sign that says nothing. */
export function signOf(style: Style = UNMARKED): Sign {
  return { ...style, isHollow: HOLLOW.has(style.glyph) };
}

/** Of one colour in a picture: on light paper, and on dark. Each reads well on its own paper (contrast of 4.5 or more). */
export const SHADES: Readonly<Record<Colour, { readonly light: string; readonly dark: string }>> = {
  green: { light: '#1a7f37', dark: '#3fb950' },
  yellow: { light: '#8a5a00', dark: '#e3b341' },
  red: { light: '#c4161c', dark: '#ff7b72' },
  gray: { light: '#57606a', dark: '#9198a1' },
  magenta: { light: '#8250df', dark: '#d2a8ff' },
  blue: { light: '#0a58ca', dark: '#79b8ff' },
  cyan: { light: '#0b6b7a', dark: '#56d4dd' },
};

/** What a client, or a node, is to the lock at a moment: as one character of a timeline. */
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

/** Before what a fault did. */
export const FAULT_GLYPH: string = '↯';

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
