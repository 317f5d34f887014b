/** A claim without a mutant or a story, in short: `"belief": "holds: @told-in-time"`. */
const SHORT = /^(holds|breaks|inert|n\/a): (.+)$/;
/** A cell equal to that of another column, in short: `= COLUMN`. */
const EQUAL = /^= (\S+)$/;

/** Writes out the claims of cells that are given in short. Other values stay as they are, so that the schema can judge them. */
export function withClaims(value: unknown): unknown {
  if (!isRecord(value) || !Array.isArray(value['rows'])) return value;
  return { ...value, rows: value['rows'].map(rowOf) };
}

function rowOf(row: unknown): unknown {
  const cells = isRecord(row) ? row['cells'] : undefined;
  if (!isRecord(row) || !isRecord(cells)) return row;
  const equal = (cell: unknown): unknown => {
    const [, column] = typeof cell === 'string' ? (EQUAL.exec(cell) ?? []) : [];
    return column === undefined ? cell : structuredClone(cells[column]);
  };
  return { ...row, cells: mapped(mapped(cells, equal), cellOf) };
}

function cellOf(cell: unknown): unknown {
  return isRecord(cell) ? mapped(cell, claimOf) : claimOf(cell);
}

function claimOf(value: unknown): unknown {
  const [, expect, why] = typeof value === 'string' ? (SHORT.exec(value) ?? []) : [];
  return expect === undefined ? value : { expect, why };
}

function mapped(
  record: Readonly<Record<string, unknown>>,
  map: (value: unknown) => unknown,
): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value)]));
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
