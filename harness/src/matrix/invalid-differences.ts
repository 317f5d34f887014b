import {
  type Claimed,
  cellIn,
  type Difference,
  type LabCellId,
  type Matrix,
  type MatrixColumn,
  type Row,
  rowName,
} from './matrix.ts';

/** What the simulator and the laboratory are said to differ in where they cannot, or what is said twice. */
export function invalidDifferences({ differences, rows, columns }: Matrix): readonly string[] {
  const named = new Set<string>();
  return differences.flatMap((difference) =>
    difference.cells.flatMap((place) => {
      const where = `matrix.json, differences: ${labCellName(place)}`;
      const row = rows.find((each) => rowName(each) === rowName(place));
      const column = columns.find((each) => each === backendOf(place));
      if (row === undefined || column === undefined) return [`${where} is no cell of the matrix`];
      const again = difference.claims.map((claimed) => `${labCellName(place)}, ${claimed}`);
      const twice = again.filter((each) => named.has(each));
      for (const each of again) named.add(each);
      return [
        ...twice.map((each) => `matrix.json, differences: ${each} is there twice`),
        ...impossible(difference, row, column).map(
          (claimed) =>
            `${where}: ${claimed} is not what only the ${difference.onlySeenBy} can see violated`,
        ),
      ];
    }),
  );
}

/** `failover, clocks level on redis-simple/sentinel`. */
export function labCellName(place: LabCellId): string {
  return `${rowName(place)} on ${place.column}`;
}

/** The lock of a column of the laboratory, whatever servers it is on. */
export function backendOf({ column }: Pick<LabCellId, 'column'>): string {
  return column.split('/')[0] ?? column;
}

/** Only what breaks in the simulator can be seen by it alone, and only what does not by the laboratory alone. */
function impossible(
  { claims, onlySeenBy }: Difference,
  row: Row,
  column: MatrixColumn,
): readonly Claimed[] {
  const possible = onlySeenBy === 'simulator' ? ['breaks'] : ['holds', 'inert'];
  return claims.filter((claimed) => !possible.includes(cellIn(row, column).claims[claimed].expect));
}
