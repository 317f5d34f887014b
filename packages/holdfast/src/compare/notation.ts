import type { FaultId } from '@holdfast/core';

/** Names, order, colours and glyphs of backends and outcomes: the one place, for terminal, drawings, page and docs. */

/** What became of one fault on one backend. */
export type OutcomeId = 'holds' | 'late' | 'breaks' | 'inert' | 'n/a' | 'nothing';

/** Names of terminal colours that `styleText` of Node knows; drawings map them to their own. */
export type Colour = 'green' | 'yellow' | 'red' | 'gray' | 'magenta';

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

export type ColumnId = 'no-lock' | 'memory' | 'redis-simple/ioredis' | 'redis-simple/node-redis';

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
};

/** One line on what a fault is, for legends. */
export const FAULT_MEANINGS: Readonly<Partial<Record<FaultId, string>>> = {
  none: 'contention only',
  pause: 'the holder stands still past its ttl, between a check and its write',
  'holder-crash': 'the holder dies and gives nothing back',
};
