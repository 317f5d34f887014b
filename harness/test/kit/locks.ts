/** The locks under test, for tests outside of the harness. */

export { type NaiveLock, openNaive } from '../../src/exhibits/stores/naive.ts';
export {
  builtInSubject,
  columnNamed,
  EXHIBITS,
  LOCK_NAMES,
  REAL_COLUMNS,
  subjectOf,
} from '../../src/locks/index.ts';
