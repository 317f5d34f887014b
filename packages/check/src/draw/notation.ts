/** Names, order, colours and glyphs of backends and outcomes: the one place, for terminal, drawings, page and docs. */

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
    meaning: 'late holder: the lock kept its word, the holder believed too long',
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

export type ColumnId =
  | 'no-lock'
  | 'memory'
  | 'redis-simple'
  | 'redis-simple/ioredis'
  | 'redis-simple/node-redis'
  | 'redis-getset'
  | 'redlock'
  | 'redlock-3'
  | 'redlock-pairs'
  | 'zk';

/** All columns, in the order in which they are shown everywhere; the control comes first. */
export const COLUMNS: Readonly<Record<ColumnId, Column>> = {
  'no-lock': {
    id: 'no-lock',
    backend: 'no-lock',
    meaning: 'the control, no lock: if it loses nothing, the run proves nothing',
  },
  memory: {
    id: 'memory',
    backend: 'memory',
    meaning: 'locks within one process: nothing to run, and gone with the process',
  },
  'redis-simple': {
    id: 'redis-simple',
    backend: 'redis-simple',
    meaning: 'one Redis, a key with a ttl and a fencing token',
  },
  'redis-simple/ioredis': {
    id: 'redis-simple/ioredis',
    backend: 'redis-simple',
    client: 'ioredis',
    meaning: 'one Redis, a key with a ttl and a fencing token, client ioredis',
  },
  'redis-simple/node-redis': {
    id: 'redis-simple/node-redis',
    backend: 'redis-simple',
    client: 'node-redis',
    meaning: 'the same, client node-redis',
  },
  'redis-getset': {
    id: 'redis-getset',
    backend: 'redis-getset',
    meaning: 'one Redis, stamps of the clients’ wall clocks: the legacy recipe, kept to be shown',
  },
  redlock: {
    id: 'redlock',
    backend: 'redlock',
    meaning: 'a majority of five independent Redis servers, no fencing token',
  },
  'redlock-3': {
    id: 'redlock-3',
    backend: 'redlock-3',
    meaning: 'the same on three servers: a majority is two',
  },
  'redlock-pairs': {
    id: 'redlock-pairs',
    backend: 'redlock-pairs',
    meaning: 'redlock on five, each a master that a replica may take over from',
  },
  zk: {
    id: 'zk',
    backend: 'zk',
    meaning: 'a ZooKeeper ensemble of three: queues of ephemeral nodes, and a strict fencing token',
  },
};

/**
 * A column by its id.
 * @throws RangeError where there is none
 */
export function columnNamed(id: string): Column {
  const known = Object.values(COLUMNS).find((column) => column.id === id);
  if (known === undefined) throw new RangeError(`${id} is no column that is shown`);
  return known;
}

/** By what a backend is known at a glance, wherever it stands. Its name stands beside it, and no two look alike in gray. */
export interface Sign {
  readonly glyph: string;
  /** Never red, which is for what is broken or unexpected. */
  readonly colour: Colour;
  /** The glyph as charts call it. */
  readonly shape: 'circle' | 'square' | 'diamond' | 'triangle' | 'star';
  /** Whether only its outline is drawn. */
  readonly isHollow: boolean;
}

interface Signs extends Omit<Sign, 'isHollow'> {
  /** Of what is the same lock on other servers, or over another client. */
  readonly variant: string;
}

const REDLOCK: Omit<Signs, 'glyph'> = { variant: '○', colour: 'magenta', shape: 'circle' };
const NOBODY: Signs = { glyph: '•', variant: '◦', colour: 'gray', shape: 'circle' };

const SIGNS: Readonly<Record<string, Signs>> = {
  'no-lock': { glyph: '∅', variant: '∅', colour: 'gray', shape: 'circle' },
  memory: { glyph: '★', variant: '☆', colour: 'gray', shape: 'star' },
  'redis-simple': { glyph: '■', variant: '□', colour: 'blue', shape: 'square' },
  'redis-getset': { glyph: '◆', variant: '◇', colour: 'yellow', shape: 'diamond' },
  redlock: { ...REDLOCK, glyph: '●' },
  'redlock-3': { ...REDLOCK, glyph: '○' },
  'redlock-pairs': { ...REDLOCK, glyph: '◎' },
  zk: { glyph: '▲', variant: '△', colour: 'cyan', shape: 'triangle' },
};

/** Over what client a lock is shown first. */
const FIRST_CLIENT = 'ioredis';

/** The sign of a column, by its id: the colour of its backend, and a glyph of its own. */
export function signOf(id: string): Sign {
  const [backend = '', variant = FIRST_CLIENT] = id.split('/');
  const { glyph, variant: other, colour, shape } = SIGNS[backend] ?? NOBODY;
  const own = variant === FIRST_CLIENT ? glyph : other;
  return { glyph: own, colour, shape, isHollow: HOLLOW.has(own) };
}

const HOLLOW: ReadonlySet<string> = new Set(['◦', '☆', '□', '◇', '○', '◎', '△']);

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
