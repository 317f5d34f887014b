import { type EmbeddedSettings, embeddedHead } from '../compare/embedded-head.ts';
import type { RunHead } from '../compare/format-safety.ts';
import { inOrder } from '../compare/in-order.ts';
import { inapplicableCell } from '../compare/judge-compared-cell.ts';
import { type CellId, type CellShareResult, columnOf } from '../compare/play-cell.ts';
import type { Cell } from '../compare/report.ts';
import type { Pool } from '../compare/worker-pool.ts';
import { loadMatrix, rowName } from '../matrix/index.ts';
import type { CampaignCell, CompareShard } from './report.ts';
import { type Shard, shareOf } from './shard.ts';

/** The part of the matrix that several machines run. */
export interface Campaign {
  readonly seed: number;
  readonly budget: number;
  readonly faults?: readonly string[] | undefined;
  readonly backends?: readonly string[] | undefined;
}

interface CompareShardContext {
  readonly pool: Pool;
  readonly step: (text: string) => void;
  /** The version of this package. */
  readonly holdfast: string;
}

/** Runs one shard: its whole share of the budget of every cell. */
export async function playShard(
  campaign: Campaign,
  shard: Shard,
  { pool, step, holdfast }: CompareShardContext,
): Promise<CompareShard> {
  const { seed, budget, faults = null, backends = null } = campaign;
  const effort = { seed, budget, share: shareOf(shard) };
  const ids = playedIn(headOf(campaign));
  const shares: CellShareResult[] = [];
  const tasks = ids.map((id, i) => () => {
    step(`${i + 1} of ${ids.length}: ${rowName(id.row)} on ${id.column}`);
    return pool.perform({ kind: 'share', id, effort });
  });
  await inOrder(tasks, pool.concurrency, (share) => void shares.push(share));
  const cells = shares.flatMap(({ fingerprint }, i) => {
    const id = ids[i];
    return id === undefined ? [] : cellOf(id, fingerprint);
  });
  return {
    format: 'holdfast-shard',
    version: 1,
    holdfast,
    kind: 'compare',
    shard,
    campaign: { seed, budget, faults, backends, cells },
    trials: shares.map(({ trial }) => trial),
  };
}

function cellOf({ row, column }: CellId, fingerprint: string): CampaignCell {
  return { ...row, column, fingerprint };
}

/** A cell of the table of a campaign; `untried` if there is nothing to run. */
export interface CampaignSlot {
  readonly id: CellId;
  readonly untried: Cell | undefined;
}

/** All cells of a campaign, in the order of the table. */
export function campaignSlots({ rows, columns }: RunHead): readonly CampaignSlot[] {
  return rows.flatMap((row) =>
    columns.map((column) => ({
      id: { row, column: columnOf(column.id) },
      untried: inapplicableCell({ how: 'simulated', ...row, column: column.id }),
    })),
  );
}

export function headOf(settings: EmbeddedSettings): RunHead {
  return embeddedHead({ ...settings, exact: true }, loadMatrix());
}

/** The cells that are run. */
function playedIn(head: RunHead): readonly CellId[] {
  return campaignSlots(head).flatMap(({ id, untried }) => (untried === undefined ? [id] : []));
}
