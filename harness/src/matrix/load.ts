import { readFileSync } from 'node:fs';
import type { FaultId } from '@holdfast/core';
import { FAULT_IDS } from '../simulator/index.ts';
import { cellIn, type Matrix, type MatrixColumn } from './matrix.ts';
import { MatrixError, parseMatrix } from './parse.ts';

/** Beside the sources, and beside what was built from them. */
const FILE = new URL('../../matrix.json', import.meta.url);

let loaded: Matrix | undefined;

/**
 * The matrix that comes with this package.
 * @throws MatrixError when the file was altered
 */
export function loadMatrix(): Matrix {
  loaded ??= parseMatrix(json(readFileSync(FILE, 'utf8')));
  return loaded;
}

function json(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new MatrixError('matrix.json is no JSON', { cause });
  }
}

/**
 * The faults under which no two leases of this lock are valid at once, or which cannot matter to it: in every variant
 * that can be tried there, unless it is known to break in another.
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
