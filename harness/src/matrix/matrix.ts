import type { FaultId } from '@holdfast/core/backend';
import { FAULT_IDS, type Sometimes } from '../simulator/index.ts';
import type { MovingPart } from './moving.ts';

/** The contents of `docs/matrix.json`: the expected outcome of each lock under each fault. */
export interface Matrix {
  readonly about: readonly string[];
  /** The column of the work without a lock; it must lose updates in every row. */
  readonly control: { readonly column: string; readonly why: string };
  readonly columns: readonly MatrixColumn[];
  /** A description of the defect of each mutant that a cell names. */
  readonly mutants: Readonly<Record<string, string>>;
  /** For mutants of a fault's cells that contention alone detects: the reason why no mutant needs the fault. */
  readonly contention: Readonly<Record<string, string>>;
  readonly always: Readonly<Record<Always, AlwaysClaim>>;
  readonly rows: readonly Row[];
  /** Locks that clients reach in other ways; only the rows in which that matters have cells for them. */
  readonly topologies: {
    readonly about: readonly string[];
    readonly columns: readonly MatrixColumn[];
  };
  /** The cells in which real servers are known to show less than the simulator, or more. */
  readonly differences: readonly Difference[];
  readonly moving: MovingPart;
}

/**
 * Properties that some locks keep in every tested row, besides those of the row's cell: waiters that stay in a queue are
 * served in its order, and an operation for one hold changes no other.
 */
export const ALWAYS = ['fifo', 'ownership'] as const;
export type Always = (typeof ALWAYS)[number];

export interface AlwaysClaim {
  readonly why: string;
  /** For each lock that keeps it a mutant that does not; the schedules of these rows detect it. */
  readonly mutants: Readonly<Record<MatrixColumn, string>>;
  readonly rows: readonly string[];
}

/** A lock as the simulator tests it: its name, and its servers if they are not the usual ones. */
export type MatrixColumn = string;

/** The rows that have a cell for a column. */
export function rowsOf({ rows }: Pick<Matrix, 'rows'>, column: MatrixColumn): readonly Row[] {
  return rows.filter(({ cells }) => Object.hasOwn(cells, column));
}

/** The properties that a lock keeps in every row. */
export function alwaysOf({ always }: Matrix, column: MatrixColumn): readonly Always[] {
  return ALWAYS.filter((name) => always[name].mutants[column] !== undefined);
}

/** One fault, or one variant of it. */
export interface Row {
  readonly fault: FaultId;
  /** The circumstances, if one fault needs several rows. */
  readonly variant: string | undefined;
  readonly setup: RowSetup;
  readonly cells: Readonly<Record<MatrixColumn, ExpectedCell>>;
}

/** The differences between the schedules of a row and the defaults of its fault. */
export interface RowSetup {
  /** One of the variations of the fault. */
  readonly variation?: string;
  readonly replicaClockMs?: number;
  readonly affected?: 'minority' | 'all';
  readonly faultsMax?: number;
  readonly newcomer?: true;
  readonly ttlTimes?: number;
}

/**
 * The expected outcome of a lock in a row.
 * @throws RangeError for a column that the matrix does not have
 */
export function cellIn({ cells }: Pick<Row, 'cells'>, column: MatrixColumn): ExpectedCell {
  const cell = Object.hasOwn(cells, column) ? cells[column] : undefined;
  if (cell === undefined) throw new RangeError(`unknown column ${column} of the matrix`);
  return cell;
}

/** The judged properties: the first two at a resource that accepts every write, the last at one that compares tokens. */
export const CLAIMED = ['validity', 'belief', 'resource'] as const;
export type Claimed = (typeof CLAIMED)[number];

export interface ExpectedCell {
  readonly claims: Readonly<Record<Claimed, PropertyClaim>>;
  /** The minimum share of operations that succeed; with fewer the cell proves nothing. */
  readonly accepted: number;
  /** The maximum share of schedules in which a client waits forever, if the fault itself causes that. */
  readonly stuck: number;
  /** Rare states that some of the schedules have to reach; without them the cell proves nothing. */
  readonly sometimes: readonly Sometimes[];
}

export type Expect = 'holds' | 'breaks' | 'inert' | 'n/a';

export interface PropertyClaim {
  readonly expect: Expect;
  /** A sentence. */
  readonly why: string;
  /** A lock with one defect that the same schedules detect; it shows that they can. */
  readonly mutant?: string | undefined;
  /** Set if the fault cannot be tested but the lock probably breaks. */
  readonly doubtful?: true | undefined;
  /** The story that shows it break: the name of a file in `test/stories`. */
  readonly story?: string | undefined;
}

/** Violations that only the simulator or only the laboratory sees: one reason, and all the cells that it explains. */
export interface Difference {
  readonly cells: readonly LabCellId[];
  readonly claims: readonly Claimed[];
  readonly onlySeenBy: 'simulator' | 'laboratory';
  /** A sentence. */
  readonly why: string;
  /** The name of a story that shows it. */
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

/** True if there are schedules to run. */
export function isTried({ claims }: ExpectedCell): boolean {
  return CLAIMED.some((claimed) => ['holds', 'breaks'].includes(claims[claimed].expect));
}

/** `failover, clocks level on redis-simple/sentinel`. */
export function labCellName(place: LabCellId): string {
  return `${rowName(place)} on ${place.column}`;
}

/** The lock of a column of the laboratory, on any servers. */
export function backendOf({ column }: Pick<LabCellId, 'column'>): string {
  return column.split('/')[0] ?? column;
}

/**
 * The faults under which no two leases of this lock are valid at once, or that cannot affect it. All variants that can be
 * tested have to agree, and no other variant may be doubtful.
 */
export function survivedFaults({ rows }: Matrix, column: MatrixColumn): readonly FaultId[] {
  return FAULT_IDS.filter((fault) => {
    const claims = rows
      .filter((row) => row.fault === fault)
      .map((row) => cellIn(row, column).claims.validity);
    if (claims.some(({ doubtful }) => doubtful === true)) return false;
    const expected = claims.map(({ expect }) => expect).filter((expect) => expect !== 'n/a');
    return expected.length > 0 && expected.every((expect) => expect !== 'breaks');
  });
}
