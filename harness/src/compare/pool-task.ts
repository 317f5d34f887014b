import type { MatrixColumn } from '../matrix/index.ts';
import type { Share } from '../search/index.ts';
import {
  type CellBudget,
  type CellId,
  type CellShareResult,
  type CombinedCell,
  judgeShares,
  playCell,
  playShare,
} from './play-cell.ts';
import type { Cell, Figure } from './report.ts';
import { simulatedTakeover } from './simulated-takeover.ts';

/** What there is to be played, by kind; plain data, as are the results. */
interface Kinds {
  readonly cell: {
    readonly asked: { readonly id: CellId; readonly effort: CellBudget };
    readonly result: Cell;
  };
  readonly share: {
    readonly asked: {
      readonly id: CellId;
      readonly effort: Omit<CellBudget, 'exact'> & { readonly share: Share };
    };
    readonly result: CellShareResult;
  };
  readonly judge: {
    readonly asked: CombinedCell;
    readonly result: Cell | null;
  };
  readonly takeover: {
    readonly asked: { readonly column: MatrixColumn; readonly seed: number };
    readonly result: Figure;
  };
}

export type PoolTaskKind = keyof Kinds;
export type PoolTask<K extends PoolTaskKind = PoolTaskKind> = {
  readonly kind: K;
} & Kinds[K]['asked'];
export type PoolResult<K extends PoolTaskKind = PoolTaskKind> = Kinds[K]['result'];

const PERFORM: { readonly [K in PoolTaskKind]: (task: PoolTask<K>) => Promise<PoolResult<K>> } = {
  cell: ({ id, effort }) => playCell(id, effort),
  share: ({ id, effort }) => playShare(id, effort),
  judge: judgeShares,
  takeover: ({ column, seed }) => simulatedTakeover(column, seed),
};

/** Plays it in this very thread. */
export function perform<K extends PoolTaskKind>(task: PoolTask<K>): Promise<PoolResult<K>> {
  return PERFORM[task.kind](task);
}
