import type { FaultId } from '@holdfast/core/backend';
import { type Column, type Extent, tryFault } from './bench.ts';
import { COLUMNS, counterpartOf, PEERS } from './columns.ts';
import { type Cell, cellOf, FAULTS, type FoundStory } from './found.ts';
import { LIVENESS_FAULTS, tryLiveness, type Waited } from './liveness.ts';

/** The kinds of violation that a story can show, the worst first; lateness only if there is nothing else. */
const KINDS = ['validity', 'fenced', 'liveness'];
const LESSER = 'belief';

/** Plays every fault on a library, or on ours. */
export async function tryColumn(column: Column, extent: Extent): Promise<readonly Cell[]> {
  const cells: Cell[] = [];
  for (const fault of FAULTS)
    cells.push(cellOf(fault, column.name, await tryFault(column, fault, extent)));
  return cells;
}

/** Demands progress of it, after every fault of those. */
export async function tryAftermaths(
  column: Column,
  options: { readonly schedules: number; readonly seed: number },
): Promise<readonly Waited[]> {
  const waited: Waited[] = [];
  for (const fault of LIVENESS_FAULTS) waited.push(await tryLiveness(column, fault, options));
  return waited;
}

/**
 * Returns the violations that become stories: the first of every library and kind, in the order of the table, under a fault
 * that ours withstands.
 */
export function storiesToKeep(cells: readonly Cell[]): readonly Omit<FoundStory, 'runs'>[] {
  return PEERS.flatMap((column) => {
    const chosen = KINDS.flatMap((kind) => firstOf(column, kind, cells));
    return chosen.length > 0 ? chosen : firstOf(column, LESSER, cells);
  });
}

function firstOf(column: Column, kind: string, cells: readonly Cell[]): Omit<FoundStory, 'runs'>[] {
  const fault = FAULTS.find((each) => {
    const own = cellAt(cells, each, counterpartOf(column).name);
    const isOwn = own.violated[kind] !== undefined;
    return cellAt(cells, each, column.name).violated[kind] !== undefined && !isOwn;
  });
  return fault === undefined ? [] : [{ column: column.name, fault, kind }];
}

export function cellAt(cells: readonly Cell[], fault: FaultId, column: string): Cell {
  const cell = cells.find((each) => each.fault === fault && each.column === column);
  if (cell === undefined) throw new Error(`${fault} was not played on ${column}`);
  return cell;
}

export function columnNamed(name: string): Column {
  const column = COLUMNS.find((each) => each.name === name);
  if (column === undefined) throw new Error(`unknown name "${name}"`);
  return column;
}
