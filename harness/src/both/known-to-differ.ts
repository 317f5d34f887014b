import { type LabPlace, loadMatrix, placeName } from '../matrix/index.ts';

/** Whether the matrix says that real servers show less there than the simulator, or more. */
export function isKnownToDiffer(place: LabPlace): boolean {
  const own = placeName(place);
  return loadMatrix().differences.some(({ cells }) =>
    cells.some((each) => placeName(each) === own),
  );
}
