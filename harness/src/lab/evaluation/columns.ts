import { type Column, type Sign, type Style, signOf as signOfStyle } from '../../draw/index.ts';

/** What the laboratory tries, in the order in which it is shown. */
export type LabColumnId =
  | 'no-lock'
  | 'redis-simple'
  | 'redis-simple/sentinel'
  | 'redis-getset'
  | 'redlock'
  | 'zk'
  | 'zk/single';

export const LAB_COLUMNS: Readonly<Record<LabColumnId, Column>> = {
  'no-lock': {
    id: 'no-lock',
    backend: 'no-lock',
    meaning: 'the control, no lock: if it loses nothing, the run proves nothing',
  },
  'redis-simple': {
    id: 'redis-simple',
    backend: 'redis-simple',
    meaning: 'one Redis, a key with a ttl and a fencing token',
  },
  'redis-simple/sentinel': {
    id: 'redis-simple/sentinel',
    backend: 'redis-simple',
    meaning: 'the same on a master and a replica, watched over by three Sentinels',
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
  zk: {
    id: 'zk',
    backend: 'zk',
    meaning: 'a ZooKeeper ensemble of three: queues of ephemeral nodes, and a strict fencing token',
  },
  'zk/single': {
    id: 'zk/single',
    backend: 'zk',
    meaning: 'the same on one server, which nobody else makes remember',
  },
};

const STYLES: Readonly<Record<LabColumnId, Style>> = {
  'no-lock': { glyph: '∅', colour: 'gray', shape: 'circle' },
  'redis-simple': { glyph: '■', colour: 'blue', shape: 'square' },
  'redis-simple/sentinel': { glyph: '□', colour: 'blue', shape: 'square' },
  'redis-getset': { glyph: '◆', colour: 'yellow', shape: 'diamond' },
  redlock: { glyph: '●', colour: 'magenta', shape: 'circle' },
  zk: { glyph: '▲', colour: 'cyan', shape: 'triangle' },
  'zk/single': { glyph: '△', colour: 'cyan', shape: 'triangle' },
};

/** The sign of a column, by its id. */
export function signOf(id: string): Sign {
  return signOfStyle(Object.entries(STYLES).find(([known]) => known === id)?.[1]);
}

/** In the order in which they are shown. */
export const LAB_COLUMN_IDS: readonly LabColumnId[] = [
  'no-lock',
  'redis-simple',
  'redis-simple/sentinel',
  'redis-getset',
  'redlock',
  'zk',
  'zk/single',
];
