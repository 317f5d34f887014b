import { readFileSync } from 'node:fs';
import type { Matrix } from './matrix.ts';
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
