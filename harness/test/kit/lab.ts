/** The report of the lab, for tests outside of the harness. */

export { storyForCell } from '../../src/both/story-for-cell.ts';
export { type CellFigures, type LabCell, type LabReport, pageOf } from '../../src/lab/index.ts';
export { shownMs } from '../../src/lab/report/html.ts';
export {
  broken,
  cellOf,
  judgedTrial,
  late,
  lossy,
  reportOf,
  stale,
} from '../lab/support/trials.ts';
