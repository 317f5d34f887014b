import { median } from '../check/index.ts';
import { subjectOf } from '../locks/index.ts';
import type { MatrixColumn } from '../matrix/index.ts';
import { playGuarded, type Share } from '../search/index.ts';
import { BATCH, batchOf, schedulesFor } from '../simulator/index.ts';
import { takeoverMs } from './evidence.ts';
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

/** The kinds of task with their input and result, all plain data. */
interface Kinds {
  readonly cell: {
    readonly input: { readonly id: CellId; readonly effort: CellBudget };
    readonly result: Cell;
  };
  readonly share: {
    readonly input: {
      readonly id: CellId;
      readonly effort: Omit<CellBudget, 'exact'> & { readonly share: Share };
    };
    readonly result: CellShareResult;
  };
  readonly judge: {
    readonly input: CombinedCell;
    readonly result: Cell | null;
  };
  readonly takeover: {
    readonly input: { readonly column: MatrixColumn; readonly seed: number };
    readonly result: Figure;
  };
}

export type PoolTaskKind = keyof Kinds;
export type PoolTask<K extends PoolTaskKind = PoolTaskKind> = {
  readonly kind: K;
} & Kinds[K]['input'];
export type PoolResult<K extends PoolTaskKind = PoolTaskKind> = Kinds[K]['result'];

const PERFORM: { readonly [K in PoolTaskKind]: (task: PoolTask<K>) => Promise<PoolResult<K>> } = {
  cell: ({ id, effort }) => playCell(id, effort),
  share: ({ id, effort }) => playShare(id, effort),
  judge: judgeShares,
  takeover: ({ column, seed }) => simulatedTakeover(column, seed),
};

/** Runs a task in this thread. */
export function perform<K extends PoolTaskKind>(task: PoolTask<K>): Promise<PoolResult<K>> {
  return PERFORM[task.kind](task);
}

/** Measures how long the waiters of a crashed holder wait, in virtual time. */
async function simulatedTakeover(column: MatrixColumn, seed: number): Promise<Figure> {
  const subject = subjectOf(column);
  const { nodes, renews } = subject;
  const schedules = batchOf(schedulesFor(['holder-crash'], { nodes, renews }), seed, 0);
  const takeoversMs: number[] = [];
  for (const schedule of schedules) {
    const { history } = await playGuarded(schedule, subject);
    takeoversMs.push(...takeoverMs(history));
  }
  return {
    metric: 'takeover-ms',
    column,
    value: median(takeoversMs),
    how: 'simulated',
    by: `median, ttl ${schedules[0]?.ttlMs ?? 0} ms`,
    samples: takeoversMs.length,
    ...(takeoversMs.length === 0 ? { reason: `no holder died in ${BATCH} schedules` } : {}),
  };
}
