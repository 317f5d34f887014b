import { UsageError } from 'holdfast/internal';
import { namesIn, unknownName } from '../compare/embedded-head.ts';
import { loadMatrix } from '../matrix/index.ts';

/** The selected rows and columns of the matrix; all of them if none are named. */
export interface MatrixSelection {
  readonly faults?: readonly string[] | undefined;
  readonly backends?: readonly string[] | undefined;
  /** True to show rows that state nothing about these backends too. */
  readonly all?: boolean | undefined;
  /** Locks outside the matrix: one from outside, and built-in ones on another number of servers. */
  readonly locks?: readonly string[] | undefined;
  /** True to test exhibits too. */
  readonly exhibits?: boolean | undefined;
}

/** @throws UsageError for an unknown fault or backend */
export function matrixSelectionFrom(values: ReadonlyMap<string, string>): MatrixSelection {
  const known = namesIn(loadMatrix());
  return {
    faults: namesFrom(values, 'faults', known.faults),
    backends: namesFrom(values, 'backends', known.backends),
  };
}

function namesFrom(
  values: ReadonlyMap<string, string>,
  option: 'faults' | 'backends',
  known: readonly string[],
): readonly string[] | undefined {
  const names = values
    .get(option)
    ?.split(',')
    .map((name) => name.trim());
  const unknown = unknownName(names, known);
  if (unknown === undefined) return names;
  throw new UsageError(`unknown --${option} "${unknown.name}"`, unknown.hint);
}
