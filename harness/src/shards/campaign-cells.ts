import { type EmbeddedSettings, embeddedHead } from '../compare/embedded-head.ts';
import type { RunHead } from '../compare/format-safety.ts';
import { inapplicableCell } from '../compare/judge-compared-cell.ts';
import { type CellId, columnOf } from '../compare/play-cell.ts';
import type { Cell } from '../compare/report.ts';
import { loadMatrix } from '../matrix/index.ts';

/** A cell of the table that a campaign fills; `untried` where there is nothing to play. */
export interface CampaignSlot {
  readonly id: CellId;
  readonly untried: Cell | undefined;
}

/** All the cells of a campaign, in the order of the table. */
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

/** Those that are played. */
export function playedIn(head: RunHead): readonly CellId[] {
  return campaignSlots(head).flatMap(({ id, untried }) => (untried === undefined ? [id] : []));
}
