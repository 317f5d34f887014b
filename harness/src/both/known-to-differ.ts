import { type LabCellId, labCellName, loadMatrix } from '../matrix/index.ts';

/** Whether the matrix says that real servers show less there than the simulator, or more. */
export function isKnownToDiffer(place: LabCellId): boolean {
  const own = labCellName(place);
  return loadMatrix().differences.some(({ cells }) =>
    cells.some((each) => labCellName(each) === own),
  );
}
