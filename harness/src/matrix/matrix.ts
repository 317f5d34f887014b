import type { FaultId } from '@holdfast/core';
import type { Sometimes } from '../simulator/index.ts';

/** Of each fault, what is expected of each lock: the contents of `docs/matrix.json`. */
export interface Matrix {
  readonly about: readonly string[];
  /** The same work without a lock; in every row it must lose updates. */
  readonly control: { readonly column: string; readonly why: string };
  readonly columns: readonly MatrixColumn[];
  /** What is wrong with each of the locks that vouch for cells which hold. */
  readonly mutants: Readonly<Record<string, string>>;
  /** Of those that contention alone convicts, though they vouch for cells of a fault: why none does that only the fault convicts. */
  readonly contention: Readonly<Record<string, string>>;
  readonly always: Readonly<Record<Always, AlwaysClaim>>;
  readonly rows: readonly Row[];
  /** Where real servers are known to show less than the simulator, or more. */
  readonly differences: readonly Difference[];
}

/**
 * What some locks keep in every row in which they are tried, besides what the row's cell says: those who stay in a queue
 * are served in its order, and what is sent for one hold reaches no other.
 */
export const ALWAYS = ['fifo', 'ownership'] as const;
export type Always = (typeof ALWAYS)[number];

export interface AlwaysClaim {
  readonly why: string;
  /** Of each lock that keeps it, one with one thing wrong, which does not: the schedules of these rows convict it. */
  readonly mutants: Readonly<Record<MatrixColumn, string>>;
  readonly rows: readonly string[];
}

/** A lock as the simulator tries it: its name, and on what servers where that is not the usual. */
export type MatrixColumn = string;

/** What a lock keeps in every row. */
export function alwaysOf({ always }: Matrix, column: MatrixColumn): readonly Always[] {
  return ALWAYS.filter((name) => always[name].mutants[column] !== undefined);
}

/** One fault, or one variant of it. */
export interface Row {
  readonly fault: FaultId;
  /** Where one fault needs several rows: under which circumstances. */
  readonly variant: string | undefined;
  readonly setup: RowSetup;
  readonly cells: Readonly<Record<MatrixColumn, ExpectedCell>>;
}

/** Where the schedules of a row depart from what its fault asks for. */
export interface RowSetup {
  /** One of those that its fault has. */
  readonly variation?: string;
  readonly replicaClockMs?: number;
  readonly struck?: 'minority' | 'all';
  readonly faultsMax?: number;
  readonly newcomer?: true;
  readonly ttlTimes?: number;
}

/**
 * What is expected of a lock in a row.
 * @throws RangeError for a column that the matrix does not have
 */
export function cellIn({ cells }: Pick<Row, 'cells'>, column: MatrixColumn): ExpectedCell {
  const cell = Object.hasOwn(cells, column) ? cells[column] : undefined;
  if (cell === undefined) throw new RangeError(`${column} is no column of the matrix`);
  return cell;
}

/** What is judged of a lock: the first two at a resource that takes every write, the last at one that compares tokens. */
export const CLAIMED = ['validity', 'belief', 'resource'] as const;
export type Claimed = (typeof CLAIMED)[number];

export interface ExpectedCell {
  readonly claims: Readonly<Record<Claimed, PropertyClaim>>;
  /** The least share of operations that have to be done, lest the cell prove nothing. */
  readonly accepted: number;
  /** The largest share of schedules in which somebody may wait for ever, where the fault itself brings that about. */
  readonly stuck: number;
  /** Rare states that some of the schedules have to reach, lest the cell prove nothing. */
  readonly sometimes: readonly Sometimes[];
}

export type Expect = 'holds' | 'breaks' | 'inert' | 'n/a';

export interface PropertyClaim {
  readonly expect: Expect;
  /** A sentence. */
  readonly why: string;
  /** A lock with one thing wrong, which the same schedules convict: what shows that they could. */
  readonly mutant?: string | undefined;
  /** Of what cannot be tried: the lock breaks there all the same, as far as anybody can tell. */
  readonly doubtful?: true | undefined;
  /** What shows it break: the name of a file in `test/stories`. */
  readonly story?: string | undefined;
}

/** What only the simulator, or only the laboratory, sees: one reason, and all the cells which it explains. */
export interface Difference {
  readonly cells: readonly LabCellId[];
  readonly claims: readonly Claimed[];
  readonly onlySeenBy: 'simulator' | 'laboratory';
  /** A sentence. */
  readonly why: string;
  /** What shows it: the name of a story. */
  readonly replay: string;
}

/** A cell of the laboratory, which has a lock on several kinds of servers: `redis-simple/sentinel`. */
export interface LabCellId {
  readonly fault: FaultId;
  readonly variant?: string | undefined;
  readonly column: string;
}

/** `drift, beyond the margin`. */
export function rowName({
  fault,
  variant,
}: {
  readonly fault: FaultId;
  readonly variant?: string | undefined;
}): string {
  return variant === undefined ? fault : `${fault}, ${variant}`;
}

/** Whether there is anything to play. */
export function isTried({ claims }: ExpectedCell): boolean {
  return CLAIMED.some((claimed) => ['holds', 'breaks'].includes(claims[claimed].expect));
}
