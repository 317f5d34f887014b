/** A claim without a mutant or a story, in short: `"belief": "holds: @told-in-time"`. */
const SHORT = /^(holds|breaks|inert|n\/a): (.+)$/;
/** A cell equal to that of another column, in short: `= COLUMN`. */
const EQUAL = /^= (\S+)$/;
/** A reason that is written once, under its name in `reasons`. */
const NAMED = /^@([a-z-]+)$/;

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

/**
 * Writes out the reasons that cells only name: `"why": "@two-holders"`. Other values stay as they are, so that the schema
 * can judge them.
 * @throws RangeError for an unknown name
 */
export function withReasons(value: unknown): unknown {
  if (!isRecord(value)) return value;
  const { reasons, ...matrix } = value;
  return isRecord(reasons) ? withNamed(matrix, reasons) : value;
}

function withNamed(value: unknown, reasons: Readonly<Record<string, unknown>>): unknown {
  if (Array.isArray(value)) return value.map((each) => withNamed(each, reasons));
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [
      key,
      key === 'why' ? reasonOf(each, reasons) : withNamed(each, reasons),
    ]),
  );
}

function reasonOf(why: unknown, reasons: Readonly<Record<string, unknown>>): unknown {
  const [, name] = typeof why === 'string' ? (NAMED.exec(why) ?? []) : [];
  if (name === undefined) return why;
  if (!Object.hasOwn(reasons, name)) throw new RangeError(`unknown reason "@${name}"`);
  return reasons[name];
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
