/** The locks under test, for tests outside of the harness. */

export {
  builtInSubject,
  columnNamed,
  EXHIBITS,
  LOCK_NAMES,
  REAL_COLUMNS,
  subjectOf,
} from '../../src/locks/index.ts';
