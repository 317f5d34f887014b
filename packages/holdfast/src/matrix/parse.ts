import { FAULT_IDS } from '@holdfast/core';
import * as v from 'valibot';
import { type Cell, CLAIMED, type Claim, type Matrix, type Row, rowName } from './matrix.ts';
import { type CellData, type MatrixData, matrixSchema, type RowData } from './schema.ts';
import { unfounded } from './unfounded.ts';

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
  if (!result.success) throw new MatrixError(complaint(result.issues[0]));
  const matrix = completed(result.output);
  const wrong = [...lacks(matrix), ...repeats(matrix), ...unvouched(matrix), ...unfounded(matrix)];
  if (wrong[0] !== undefined) throw new MatrixError(wrong[0]);
  return matrix;
}

function completed({ about, control, columns, mutants, rows, differences }: MatrixData): Matrix {
  return { about, control, columns, mutants, rows: rows.map(rowOf), differences };
}

function complaint(issue: v.BaseIssue<unknown>): string {
  const path = v.getDotPath(issue) ?? '';
  return `matrix.json, ${path === '' ? 'the whole' : path}: ${issue.message}`;
}

function rowOf({ fault, variant, setup = {}, cells }: RowData): Row {
  const { drift, replicaClockMs, struck, faultsMax, newcomer } = setup;
  return {
    fault,
    variant,
    setup: {
      ...(drift === undefined ? {} : { drift }),
      ...(replicaClockMs === undefined ? {} : { replicaClockMs }),
      ...(struck === undefined ? {} : { struck }),
      ...(faultsMax === undefined ? {} : { faultsMax }),
      ...(newcomer === undefined ? {} : { newcomer }),
    },
    cells: {
      memory: cellOf(cells.memory),
      'redis-simple': cellOf(cells['redis-simple']),
      'redis-getset': cellOf(cells['redis-getset']),
      redlock: cellOf(cells.redlock),
      'redlock-3': cellOf(cells['redlock-3']),
      'redlock-pairs': cellOf(cells['redlock-pairs']),
      zk: cellOf(cells.zk),
    },
  };
}

function cellOf(data: CellData): Cell {
  if ('expect' in data) {
    return {
      claims: { validity: data, belief: data, resource: data },
      accepted: ACCEPTED_DEFAULT,
      stuck: 0,
    };
  }
  const { validity, belief, resource, accepted = ACCEPTED_DEFAULT, stuck = 0 } = data;
  return { claims: { validity, belief, resource }, accepted, stuck };
}

/** Every fault has a row, in the order of all faults. */
function lacks({ rows }: Matrix): readonly string[] {
  const inOrder = [...new Set(rows.map(({ fault }) => fault))];
  const lacking = FAULT_IDS.filter((fault) => !inOrder.includes(fault));
  if (lacking.length > 0) return [`matrix.json, rows: there is none for ${lacking.join(', ')}`];
  const wrong = inOrder.find((fault, i) => fault !== FAULT_IDS[i]);
  return wrong === undefined ? [] : [`matrix.json, rows: ${wrong} is not in its place`];
}

function repeats({ rows }: Matrix): readonly string[] {
  const names = rows.map(rowName);
  const twice = names.find((each, i) => names.indexOf(each) < i);
  return twice === undefined ? [] : [`matrix.json, rows: ${twice} is there twice`];
}

/** What holds has to name the mutant that shows that it could have been found broken; belief shares that of validity. */
function unvouched({ rows, mutants }: Matrix): readonly string[] {
  const wrong: string[] = [];
  const named = new Set<string>();
  for (const row of rows)
    for (const [column, { claims }] of Object.entries(row.cells))
      for (const claimed of CLAIMED) {
        const { expect, mutant }: Claim = claims[claimed];
        const place = `matrix.json, ${rowName(row)} on ${column}, ${claimed}`;
        if (mutant !== undefined) named.add(mutant);
        if (mutant !== undefined && !Object.hasOwn(mutants, mutant))
          wrong.push(`${place}: nothing says what is wrong with the mutant ${mutant}`);
        if (expect === 'holds' && mutant === undefined && claimed !== 'belief')
          wrong.push(`${place}: it holds, and no mutant vouches for that`);
      }
  const idle = Object.keys(mutants).filter((mutant) => !named.has(mutant));
  return [...wrong, ...idle.map((mutant) => `matrix.json, mutants: no cell names ${mutant}`)];
}
