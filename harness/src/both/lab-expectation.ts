import { expectationOf } from '../compare/expectation.ts';
import type { LabCell } from '../lab/index.ts';
import { builtInSubject } from '../locks/index.ts';
import { backendOf, type LabCellId, labCellName, loadMatrix } from '../matrix/index.ts';

/** What the matrix states of a cell of the laboratory; undefined where real servers are known to show something else. */
export function labExpectation(place: LabCellId): LabCell['expected'] | undefined {
  if (isKnownToDiffer(place)) return undefined;
  const expectation = expectationOf({ how: 'measured', ...place });
  if (expectation === undefined) return undefined;
  // What cannot matter there is played all the same: a control, which has to do nothing.
  if (expectation.outcome === 'inert')
    return { outcome: 'holds', fenced: hasTokens(place) ? 'holds' : 'n/a' };
  return { outcome: expectation.outcome, fenced: expectation.fenced };
}

function hasTokens(place: LabCellId): boolean {
  return builtInSubject(backendOf(place))?.tokens === true;
}

/** Whether the matrix says that real servers show less there than the simulator, or more. */
export function isKnownToDiffer(place: LabCellId): boolean {
  const own = labCellName(place);
  return loadMatrix().differences.some(({ cells }) =>
    cells.some((each) => labCellName(each) === own),
  );
}
