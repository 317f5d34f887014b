import { FAULT_IDS, FAULTS } from '../simulator/index.ts';
import {
  ALWAYS,
  backendOf,
  CLAIMED,
  type Claimed,
  cellIn,
  type Difference,
  type ExpectedCell,
  labCellName,
  type Matrix,
  type MatrixColumn,
  type PropertyClaim,
  type Row,
  rowName,
} from './matrix.ts';
import { movingRows } from './moving.ts';

/** Everything in a matrix that contradicts itself, one sentence each, naming the place. */
export function inconsistenciesOf(matrix: Matrix): readonly string[] {
  return [
    ...missingRows(matrix),
    ...unevenRows(matrix),
    ...repeatedRows(matrix),
    ...misplacedVariations(matrix),
    ...unusedMutants(matrix),
    ...claimsWithoutMutant(matrix),
    ...invalidDifferences(matrix),
    ...invalidPhases(matrix),
  ];
}

/** Every fault needs a row, in the order of all faults. */
function missingRows({ rows }: Matrix): readonly string[] {
  const inOrder = [...new Set(rows.map(({ fault }) => fault))];
  const lacking = FAULT_IDS.filter((fault) => !inOrder.includes(fault));
  if (lacking.length > 0) return [`matrix.json, rows: no row for ${lacking.join(', ')}`];
  const wrong = inOrder.find((fault, i) => fault !== FAULT_IDS[i]);
  return wrong === undefined ? [] : [`matrix.json, rows: ${wrong} is out of order`];
}

/** Every row needs a cell for each column, and may have others only for topologies. */
function unevenRows({ rows, columns, always, topologies }: Matrix): readonly string[] {
  const all = columns.toSorted();
  const strange = ALWAYS.flatMap((kept) =>
    Object.keys(always[kept].mutants)
      .filter((column) => !columns.includes(column))
      .map((column) => `matrix.json, ${kept}: unknown column ${column}`),
  );
  const wrong = rows.filter(({ cells }) => {
    const own = Object.keys(cells).filter((column) => !topologies.columns.includes(column));
    return own.toSorted().join() !== all.join();
  });
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
  return twice === undefined ? [] : [`matrix.json, rows: ${twice} is listed twice`];
}

/** A variation has to be one of its fault; only faults without times of their own allow longer leases. */
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
          `unknown variation ${variation}${varies.length === 0 ? '' : `; use ${varies.join(', ')}`}`,
        ]),
    ...(ttlTimes === undefined || timeless.includes(fault)
      ? []
      : [`ttlTimes is only for ${timeless.join(', ')}`]),
  ];
}

/**
 * The rows and mutants that show what is kept in every row have to exist. Each column that has a mutant needs a row in
 * which a claim holds, since the mutant runs only there.
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
      ...unplayed.map((column) => `matrix.json, ${kept}: no row runs the mutant of ${column}`),
      ...unknown.map((row) => `matrix.json, ${kept}: unknown row ${row}`),
      ...unexplained.map(
        (mutant) => `matrix.json, ${kept}: the mutant ${mutant} has no description`,
      ),
    ];
  });
}

function isHeld(cell: ExpectedCell | undefined): boolean {
  return CLAIMED.some((claimed) => cell?.claims[claimed].expect === 'holds');
}

/** A claim that holds has to name a mutant that the same schedules detect; belief shares the one of validity. */
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
          wrong.push(`${place}: the mutant ${mutant} has no description`);
        if (expect === 'holds' && mutant === undefined && claimed !== 'belief')
          wrong.push(`${place}: it holds, but names no mutant to detect`);
      }
  const unused = Object.keys(mutants).filter((mutant) => !named.has(mutant));
  const unknown = Object.keys(contention).filter((mutant) => !Object.hasOwn(mutants, mutant));
  return [
    ...wrong,
    ...unused.map((mutant) => `matrix.json, mutants: no cell names ${mutant}`),
    ...unknown.map((mutant) => `matrix.json, contention: unknown mutant ${mutant}`),
  ];
}

/** Phases of a move are run on a column of the matrix, and make an exception only of rows in which they are run. */
function invalidPhases(matrix: Matrix): readonly string[] {
  const { store, phases } = matrix.moving;
  if (!matrix.columns.includes(store)) return [`matrix.json, moving: unknown column ${store}`];
  const run = new Set(movingRows(matrix).map(rowName));
  return Object.entries(phases).flatMap(([name, { except = {} }]) =>
    Object.keys(except)
      .filter((row) => !run.has(row))
      .map((row) => `matrix.json, moving, ${name}: ${row} is not run`),
  );
}

/** Differences between simulator and laboratory that are impossible, or listed twice. */
function invalidDifferences({ differences, rows, columns }: Matrix): readonly string[] {
  const named = new Set<string>();
  return differences.flatMap((difference) =>
    difference.cells.flatMap((place) => {
      const where = `matrix.json, differences: ${labCellName(place)}`;
      const row = rows.find((each) => rowName(each) === rowName(place));
      const column = columns.find((each) => each === backendOf(place));
      if (row === undefined || column === undefined)
        return [`${where} is not a cell of the matrix`];
      const listed = difference.claims.map((claimed) => `${labCellName(place)}, ${claimed}`);
      const twice = listed.filter((each) => named.has(each));
      for (const each of listed) named.add(each);
      return [
        ...twice.map((each) => `matrix.json, differences: ${each} is listed twice`),
        ...impossible(difference, row, column).map(
          (claimed) =>
            `${where}: ${claimed} is not what only the ${difference.onlySeenBy} can see violated`,
        ),
      ];
    }),
  );
}

/** The simulator alone can only see what breaks in it; the laboratory alone only what does not. */
function impossible(
  { claims, onlySeenBy }: Difference,
  row: Row,
  column: MatrixColumn,
): readonly Claimed[] {
  const possible = onlySeenBy === 'simulator' ? ['breaks'] : ['holds', 'inert'];
  return claims.filter((claimed) => !possible.includes(cellIn(row, column).claims[claimed].expect));
}
