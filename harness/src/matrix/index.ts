export { backendOf, labCellName } from './invalid-differences.ts';
export { loadMatrix, survivedFaults } from './load.ts';
export {
  ALWAYS,
  type Always,
  alwaysOf,
  CLAIMED,
  type Claimed,
  cellIn,
  type Difference,
  type Expect,
  type ExpectedCell,
  isTried,
  type LabCellId,
  type Matrix,
  type MatrixColumn,
  type Row,
  rowName,
} from './matrix.ts';
export { MatrixError, parseMatrix } from './parse.ts';
export {
  type CellResult,
  contradictedClaims,
  EMPTY_CELL_RESULT,
  type FirstViolation,
  fingerprintOfCell,
  mergeCellResults,
  provesNothing,
  runCell,
  stuckIn,
  TARGET_OF,
  unreachedIn,
  violatedIn,
} from './run-cell.ts';
