import { inOrder } from '../compare/in-order.ts';
import { reportVerdict } from '../compare/judge-compared-cell.ts';
import type { CombinedCell } from '../compare/play-cell.ts';
import type { Cell, Report } from '../compare/report.ts';
import type { Pool } from '../compare/worker-pool.ts';
import { type CellResult, EMPTY_CELL_RESULT, mergeCellResults, rowName } from '../matrix/index.ts';
import { type CampaignSlot, campaignSlots, headOf } from './compare-shard.ts';
import type { ShardSet } from './gather-shards.ts';
import type { CampaignCell, CompareShard } from './report.ts';
import { ShardError } from './shard.ts';

interface MergeContext {
  readonly pool: Pool;
  readonly step: (text: string) => void;
}

/** The combined result of a cell in all shards. */
interface SummedCell {
  readonly cell: CampaignCell;
  readonly seed: number;
  readonly trial: CellResult;
}

/**
 * Merges shards to the report that one machine would have written, without the part Cost.
 * @throws ShardError if the matrix, a lock or the simulator is not the one that ran
 */
export async function mergeCompare(
  { first, reports, of, missing }: ShardSet<CompareShard>,
  parts: MergeContext,
): Promise<Report> {
  const fromMs = performance.now();
  const { seed, budget, faults, backends, cells } = first.campaign;
  const head = headOf({
    seed,
    budget,
    faults: faults ?? undefined,
    backends: backends ?? undefined,
  });
  const sums = cells.map((cell, i) => ({ cell, seed, trial: trialAt(reports, i) }));
  const safety = await judged(fillSlots(campaignSlots(head), sums), parts);
  const tookMs = Math.round(performance.now() - fromMs);
  const runs = [{ ...head, safety, cost: [], tookMs }];
  return {
    format: 'holdfast-compare',
    version: 2,
    holdfast: first.holdfast,
    startedAt: new Date().toISOString(),
    tookMs,
    verdict: reportVerdict(runs),
    shards: { of, missing },
    runs,
  };
}

/** The merged result of one cell in all shards. */
function trialAt(reports: readonly CompareShard[], i: number): CellResult {
  return reports
    .map(({ trials }) => trials[i] ?? EMPTY_CELL_RESULT)
    .reduce(mergeCellResults, EMPTY_CELL_RESULT);
}

/** Fills every slot of the table. @throws ShardError if other cells were run */
function fillSlots(
  slots: readonly CampaignSlot[],
  sums: readonly SummedCell[],
): readonly (Cell | CombinedCell)[] {
  const rest = [...sums];
  const parts = slots.map(({ id, untried }) => {
    if (untried !== undefined) return untried;
    const sum = rest.shift();
    const isSame = sum?.cell.column === id.column && rowName(sum.cell) === rowName(id.row);
    if (sum === undefined || !isSame) throw otherCells();
    const { seed, cell, trial } = sum;
    return { id, seed, trial, fingerprint: cell.fingerprint };
  });
  if (rest.length > 0) throw otherCells();
  return parts;
}

async function judged(
  parts: readonly (Cell | CombinedCell)[],
  { pool, step }: MergeContext,
): Promise<readonly Cell[]> {
  const safety: Cell[] = [];
  const tasks = parts.map((part) => async (): Promise<Cell> => {
    if (!('id' in part)) return part;
    const { row, column } = part.id;
    step(`merging ${rowName(row)} on ${column}`);
    const cell = await pool.perform({ kind: 'judge', ...part });
    if (cell === null) throw otherCode(`${rowName(row)} on ${column}`);
    return cell;
  });
  await inOrder(tasks, pool.concurrency, (cell) => void safety.push(cell));
  return safety;
}

function otherCells(): ShardError {
  return new ShardError('the matrix of this release has other cells than the one that was run', {
    hint: SAME_CODE,
  });
}

function otherCode(cell: string): ShardError {
  return new ShardError(
    `${cell} has other results here than where it was run: the lock or the simulator differs`,
    { hint: SAME_CODE },
  );
}

const SAME_CODE = 'Merge with the code that ran the shards.';
