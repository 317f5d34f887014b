import * as v from 'valibot';
import { FAULT_IDS, FAULTS } from '../simulator/index.ts';
import { invalidDifferences } from './invalid-differences.ts';
import {
  ALWAYS,
  CLAIMED,
  type ExpectedCell,
  type Matrix,
  type PropertyClaim,
  type Row,
  type RowSetup,
  rowName,
} from './matrix.ts';
import {
  type CellData,
  type MatrixData,
  matrixSchema,
  type RowData,
  type SetupData,
} from './schema.ts';

/** Half of all operations, unless the cell says otherwise: a lock that lets nobody in is safe, and shows nothing. */
const ACCEPTED_DEFAULT = 0.5;

/** Says where the matrix is wrong, and how. */
export class MatrixError extends Error {
  override readonly name: string = 'MatrixError';
}

/**
 * Checks and completes what `docs/matrix.json` says.
 * @throws MatrixError naming the place: another version, an unknown fault, a cell without a reason, a fault without a
 * row, a mutant that is not described, a difference where there can be none
 */
export function parseMatrix(value: unknown): Matrix {
  const result = v.safeParse(matrixSchema, value);
  if (!result.success) throw new MatrixError(issueText(result.issues[0]));
  const matrix = completed(result.output);
  const wrong = [
    ...missingRows(matrix),
    ...unevenRows(matrix),
    ...repeatedRows(matrix),
    ...misplacedVariations(matrix),
    ...unusedMutants(matrix),
    ...claimsWithoutMutant(matrix),
    ...invalidDifferences(matrix),
  ];
  if (wrong[0] !== undefined) throw new MatrixError(wrong[0]);
  return matrix;
}

function completed({ rows, v: _, ...more }: MatrixData): Matrix {
  return { ...more, rows: rows.map(rowOf) };
}

function issueText(issue: v.BaseIssue<unknown>): string {
  const path = v.getDotPath(issue) ?? '';
  return `matrix.json, ${path === '' ? 'the whole' : path}: ${issue.message}`;
}

function rowOf({ fault, variant, setup = {}, cells }: RowData): Row {
  return {
    fault,
    variant,
    setup: definedFields(setup),
    cells: Object.fromEntries(
      Object.entries(cells).map(([column, cell]) => [column, cellOf(cell)]),
    ),
  };
}

/** What it says, without what it leaves open. */
function definedFields({
  variation,
  replicaClockMs,
  struck,
  faultsMax,
  newcomer,
  ttlTimes,
}: SetupData): RowSetup {
  return {
    ...(variation === undefined ? {} : { variation }),
    ...(replicaClockMs === undefined ? {} : { replicaClockMs }),
    ...(struck === undefined ? {} : { struck }),
    ...(faultsMax === undefined ? {} : { faultsMax }),
    ...(newcomer === undefined ? {} : { newcomer }),
    ...(ttlTimes === undefined ? {} : { ttlTimes }),
  };
}

function cellOf(data: CellData): ExpectedCell {
  if ('expect' in data) {
    return {
      claims: { validity: data, belief: data, resource: data },
      accepted: ACCEPTED_DEFAULT,
      stuck: 0,
      sometimes: [],
    };
  }
  const { validity, belief, resource } = data;
  const { accepted = ACCEPTED_DEFAULT, stuck = 0, sometimes = [] } = data;
  return { claims: { validity, belief, resource }, accepted, stuck, sometimes };
}

/** Every fault has a row, in the order of all faults. */
function missingRows({ rows }: Matrix): readonly string[] {
  const inOrder = [...new Set(rows.map(({ fault }) => fault))];
  const lacking = FAULT_IDS.filter((fault) => !inOrder.includes(fault));
  if (lacking.length > 0) return [`matrix.json, rows: there is none for ${lacking.join(', ')}`];
  const wrong = inOrder.find((fault, i) => fault !== FAULT_IDS[i]);
  return wrong === undefined ? [] : [`matrix.json, rows: ${wrong} is not in its place`];
}

/** Every row has a cell for each column, and no other. */
function unevenRows({ rows, columns, always }: Matrix): readonly string[] {
  const all = columns.toSorted();
  const strange = ALWAYS.flatMap((kept) =>
    Object.keys(always[kept].mutants)
      .filter((column) => !columns.includes(column))
      .map((column) => `matrix.json, ${kept}: there is no column ${column}`),
  );
  const wrong = rows.filter(({ cells }) => Object.keys(cells).toSorted().join() !== all.join());
  return [
    ...wrong.map(
      (row) => `matrix.json, ${rowName(row)}: its cells are not those of ${columns.join(', ')}`,
    ),
    ...strange,
  ];
}

function repeatedRows({ rows }: Matrix): readonly string[] {
  const names = rows.map(rowName);
  const twice = names.find((each, i) => names.indexOf(each) < i);
  return twice === undefined ? [] : [`matrix.json, rows: ${twice} is there twice`];
}

/** A variation is one of the fault's own; and only faults without times of their own bear longer leases. */
function misplacedVariations({ rows }: Matrix): readonly string[] {
  const found = rows.flatMap((row) =>
    misplacedVariation(row).map((wrong) => `${rowName(row)}: ${wrong}`),
  );
  return found.map((wrong) => `matrix.json, ${wrong}`);
}

function misplacedVariation({ fault, setup: { variation, ttlTimes } }: Row): readonly string[] {
  const own = FAULTS.find(fault);
  const { varies = [] } = own ?? {};
  const timeless = FAULTS.all.filter(({ isTimeless }) => isTimeless).map(({ id }) => id);
  return [
    ...(variation === undefined || varies.includes(variation)
      ? []
      : [
          `${variation} is no variation of it${varies.length === 0 ? '' : `, but ${varies.join(', ')}`}`,
        ]),
    ...(ttlTimes === undefined || timeless.includes(fault)
      ? []
      : [`ttlTimes is for ${timeless.join(', ')}`]),
  ];
}

/**
 * Each row, and each mutant, by which is vouched for what is kept in all rows, is there; and of each column that has a
 * mutant there is a row in which something holds, since only there the mutant is played.
 */
function unusedMutants({ always, mutants, rows }: Matrix): readonly string[] {
  const known = new Set(rows.map(rowName));
  return ALWAYS.flatMap((kept) => {
    const claim = always[kept];
    const unknown = claim.rows.filter((row) => !known.has(row));
    const unexplained = Object.values(claim.mutants).filter(
      (mutant) => !Object.hasOwn(mutants, mutant),
    );
    const unplayed = Object.keys(claim.mutants).filter(
      (column) =>
        !rows.some((row) => claim.rows.includes(rowName(row)) && isHeld(row.cells[column])),
    );
    return [
      ...unplayed.map((column) => `matrix.json, ${kept}: no row plays the mutant of ${column}`),
      ...unknown.map((row) => `matrix.json, ${kept}: there is no row ${row}`),
      ...unexplained.map(
        (mutant) => `matrix.json, ${kept}: nothing says what is wrong with the mutant ${mutant}`,
      ),
    ];
  });
}

function isHeld(cell: ExpectedCell | undefined): boolean {
  return CLAIMED.some((claimed) => cell?.claims[claimed].expect === 'holds');
}

/** What holds has to name the mutant that shows that it could have been found broken; belief shares that of validity. */
function claimsWithoutMutant({ rows, mutants, contention, always }: Matrix): readonly string[] {
  const wrong: string[] = [];
  const named = new Set<string>(ALWAYS.flatMap((kept) => Object.values(always[kept].mutants)));
  for (const row of rows)
    for (const [column, { claims }] of Object.entries(row.cells))
      for (const claimed of CLAIMED) {
        const { expect, mutant }: PropertyClaim = claims[claimed];
        const place = `matrix.json, ${rowName(row)} on ${column}, ${claimed}`;
        if (mutant !== undefined) named.add(mutant);
        if (mutant !== undefined && !Object.hasOwn(mutants, mutant))
          wrong.push(`${place}: nothing says what is wrong with the mutant ${mutant}`);
        if (expect === 'holds' && mutant === undefined && claimed !== 'belief')
          wrong.push(`${place}: it holds, and names no mutant that would be detected`);
      }
  const idle = Object.keys(mutants).filter((mutant) => !named.has(mutant));
  const unknown = Object.keys(contention).filter((mutant) => !Object.hasOwn(mutants, mutant));
  return [
    ...wrong,
    ...idle.map((mutant) => `matrix.json, mutants: no cell names ${mutant}`),
    ...unknown.map((mutant) => `matrix.json, contention: there is no mutant ${mutant}`),
  ];
}
