export { type CheckedStore, checkedWrites } from './checked-writes.ts';
export { type GuardPlay, type GuardReport, NEIGHBOURS, playGuard } from './play.ts';
export { isAdmitted, unlessRefused } from './refused.ts';
export {
  CREATE_ORDER,
  CREATE_ROWS,
  checkFirst,
  drawOrder,
  type GuardedDatabase,
  markThenReads,
  oneTransaction,
  readsBeforeMark,
  tokenPerRow,
} from './sql-subjects.ts';
export { type SqliteUnderTest, sqliteTransaction } from './sqlite-subject.ts';
export {
  type GuardSubject,
  type Holder,
  KEY,
  ROWS,
  type RowWrite,
  type WriteOutcome,
} from './subject.ts';
