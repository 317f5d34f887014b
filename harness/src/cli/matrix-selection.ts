import { UsageError } from 'holdfast/internal';
import { namesIn, unknownName } from '../compare/embedded-head.ts';
import { loadMatrix } from '../matrix/index.ts';

/** Which rows and columns of the matrix are asked for; all of them where none are named. */
export interface MatrixSelection {
  readonly faults?: readonly string[] | undefined;
  readonly backends?: readonly string[] | undefined;
  /** Whether rows are shown that say nothing of these backends. */
  readonly all?: boolean | undefined;
  /** Locks beside those of the matrix: one from outside, and one of ours on another number of servers. */
  readonly locks?: readonly string[] | undefined;
  /** Whether locks that are kept to be shown are tried too. */
  readonly exhibits?: boolean | undefined;
}

/** @throws UsageError for a fault or a backend that there is not */
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
