import { COLUMNS, type Column } from '@holdfast/check';

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
  'no-lock': COLUMNS['no-lock'],
  'redis-simple': COLUMNS['redis-simple'],
  'redis-simple/sentinel': {
    id: 'redis-simple/sentinel',
    backend: 'redis-simple',
    meaning: 'the same on a master and a replica, watched over by three Sentinels',
  },
  'redis-getset': COLUMNS['redis-getset'],
  redlock: COLUMNS.redlock,
  zk: COLUMNS.zk,
  'zk/single': {
    id: 'zk/single',
    backend: 'zk',
    meaning: 'the same on one server, which nobody else makes remember',
  },
};

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
