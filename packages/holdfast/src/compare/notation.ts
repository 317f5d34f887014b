// One notation for terminal, drawings, page and docs: it lives beside the drawings.
export {
  COLUMNS,
  type Column,
  type ColumnId,
  columnNamed,
  mark,
  OUTCOMES,
  type OutcomeId,
  RING,
  signOf,
} from '@holdfast/check';
