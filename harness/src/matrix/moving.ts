import { cellIn, type Matrix, type Row, rowName } from './matrix.ts';

/** The expected outcome of clients in two phases of a move from one store to another, mixed at random. */
export interface MovingPart {
  readonly about: readonly string[];
  /** The column of the store that both phases share: a row is run if this lock keeps validity and resource in it. */
  readonly store: string;
  /** By the names of the phases. */
  readonly phases: Readonly<Record<string, MovingClaim>>;
}

export interface MovingClaim {
  /** `holds`: never two valid holders, and tokens never go back. `breaks`: the search finds one or the other. */
  readonly expect: 'holds' | 'breaks';
  readonly why: string;
  /** The rows in which the opposite is expected, each with its reason. */
  readonly except?: Readonly<Record<string, string>> | undefined;
}

/** The rows in which mixed phases are run: those under which one store alone keeps its word. */
export function movingRows({ rows, moving }: Matrix): readonly Row[] {
  return rows.filter((row) => {
    const { validity, resource } = cellIn(row, moving.store).claims;
    return validity.expect === 'holds' && resource.expect === 'holds';
  });
}

/** The expected outcome of two phases in a row. */
export function expectedOfPhases(
  { expect, except = {} }: MovingClaim,
  row: Row,
): 'holds' | 'breaks' {
  const opposite = expect === 'holds' ? 'breaks' : 'holds';
  return Object.hasOwn(except, rowName(row)) ? opposite : expect;
}
