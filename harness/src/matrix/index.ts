export { loadMatrix } from './load.ts';
export {
  ALWAYS,
  type Always,
  alwaysOf,
  type Cell,
  CLAIMED,
  type Claimed,
  cellIn,
  type Difference,
  type Expect,
  isTried,
  type LabPlace,
  type Matrix,
  type MatrixColumn,
  type Row,
  rowName,
} from './matrix.ts';
export { MatrixError, parseMatrix } from './parse.ts';
export { survivors } from './survivors.ts';
export {
  contradicted,
  type Finding,
  fingerprintOfCell,
  joined,
  NO_TRIAL,
  provesNothing,
  stuckIn,
  type Trial,
  tryCell,
  unseenIn,
  violatedIn,
  WANTED_OF,
} from './trial.ts';
export { backendOf, placeName } from './unfounded.ts';
