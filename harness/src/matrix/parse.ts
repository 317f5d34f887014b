import { readFileSync } from 'node:fs';
import * as v from 'valibot';
import { inconsistenciesOf } from './inconsistencies.ts';
import type { ExpectedCell, Matrix, Row, RowSetup } from './matrix.ts';
import {
  type CellData,
  type MatrixData,
  matrixSchema,
  type RowData,
  type SetupData,
} from './schema.ts';
import { withClaims, withReasons } from './shorthand.ts';

/** Half of all operations, unless the cell says otherwise: a lock that grants nothing is safe, and shows nothing. */
const ACCEPTED_DEFAULT = 0.5;

/** A mistake in the matrix; the message names the place. */
export class MatrixError extends Error {
  override readonly name: string = 'MatrixError';
}

/**
 * Checks the contents of `docs/matrix.json` and fills in the defaults.
 * @throws MatrixError naming the place: another version, an unknown fault, a cell without a reason, a fault without a
 * row, a mutant without a description, an impossible difference
 */
export function parseMatrix(value: unknown): Matrix {
  const result = v.safeParse(matrixSchema, writtenOut(value));
  if (!result.success) throw new MatrixError(issueText(result.issues[0]));
  const matrix = completed(result.output);
  const [inconsistency] = inconsistenciesOf(matrix);
  if (inconsistency !== undefined) throw new MatrixError(inconsistency);
  return matrix;
}

function writtenOut(value: unknown): unknown {
  try {
    return withReasons(withClaims(value));
  } catch (cause) {
    throw new MatrixError(`matrix.json, ${cause instanceof Error ? cause.message : 'reasons'}`, {
      cause,
    });
  }
}

function completed({ rows, v: _, ...more }: MatrixData): Matrix {
  return { ...more, rows: rows.map(rowOf) };
}

function issueText(issue: v.BaseIssue<unknown>): string {
  const path = v.getDotPath(issue) ?? '';
  return `matrix.json, ${path === '' ? 'the whole file' : path}: ${issue.message}`;
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

/** A setup without the fields that are undefined. */
function definedFields({
  variation,
  replicaClockMs,
  affected,
  faultsMax,
  newcomer,
  ttlTimes,
}: SetupData): RowSetup {
  return {
    ...(variation === undefined ? {} : { variation }),
    ...(replicaClockMs === undefined ? {} : { replicaClockMs }),
    ...(affected === undefined ? {} : { affected }),
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

/** Lies beside `src`, and beside `dist`. */
const FILE = new URL('../../matrix.json', import.meta.url);

let loaded: Matrix | undefined;

/**
 * The matrix that comes with this package.
 * @throws MatrixError if the file was altered
 */
export function loadMatrix(): Matrix {
  loaded ??= parseMatrix(json(readFileSync(FILE, 'utf8')));
  return loaded;
}

function json(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new MatrixError('matrix.json is not valid JSON', { cause });
  }
}
