import type { MatrixColumn } from '../matrix/index.ts';
import type { Share } from '../search/index.ts';
import {
  type CellEffort,
  type CellId,
  type CellShare,
  type CellSum,
  judgeShares,
  playCell,
  playShare,
} from './play-cell.ts';
import type { Cell, Figure } from './report.ts';
import { simulatedTakeover } from './simulated-takeover.ts';

/** What there is to be played, by kind; plain data, as are the results. */
interface Kinds {
  readonly cell: {
    readonly asked: { readonly id: CellId; readonly effort: CellEffort };
    readonly result: Cell;
  };
  readonly share: {
    readonly asked: {
      readonly id: CellId;
      readonly effort: Omit<CellEffort, 'exact'> & { readonly share: Share };
    };
    readonly result: CellShare;
  };
  readonly judge: {
    readonly asked: CellSum;
    readonly result: Cell | null;
  };
  readonly takeover: {
    readonly asked: { readonly column: MatrixColumn; readonly seed: number };
    readonly result: Figure;
  };
}

export type Kind = keyof Kinds;
export type Task<K extends Kind = Kind> = { readonly kind: K } & Kinds[K]['asked'];
export type Result<K extends Kind = Kind> = Kinds[K]['result'];

const PERFORM: { readonly [K in Kind]: (task: Task<K>) => Promise<Result<K>> } = {
  cell: ({ id, effort }) => playCell(id, effort),
  share: ({ id, effort }) => playShare(id, effort),
  judge: judgeShares,
  takeover: ({ column, seed }) => simulatedTakeover(column, seed),
};

/** Plays it in this very thread. */
export function perform<K extends Kind>(task: Task<K>): Promise<Result<K>> {
  return PERFORM[task.kind](task);
}
