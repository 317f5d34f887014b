import { InvalidOptionError } from '@holdfast/core';
import { type FencedLease, fenceOf, NAME } from './fence.ts';
import type { SqlStatement } from './sql/dialect.ts';

/**
 * What happened to a blind write: `refused` if the row has a larger token, `no-row` if there is none.
 */
export type RowOutcome = 'written' | 'refused' | 'no-row';

/** A row with its own token, and what to write into it without having read it. */
export interface BlindWrite {
  /** A plain name. */
  readonly table: string;
  /** Columns that identify the row, and their values. */
  readonly where: Readonly<Record<string, string>>;
  /** Columns to write, and their values. A deletion is such a write, too: of a column that marks the row as deleted. */
  readonly set: Readonly<Record<string, string>>;
  /** The column with the token, a signed 64-bit number; default `fence`. */
  readonly fence?: string | undefined;
}

/** A connection, in a transaction or not, that runs a statement and returns its rows. */
export type RunSql = (
  statement: SqlStatement,
) => Promise<readonly Readonly<Record<string, unknown>>[]>;

const COLUMN = /^[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)?$/;

/**
 * Writes one row of PostgreSQL *blindly*: the new values are not computed from a read. Only then is a token in the row
 * enough. For anything else use {@link SqlGuard.transaction}: with tokens in rows, a late holder can write after the new
 * holder has read, and can write every row that the new holder has not written yet.
 *
 * Never delete such a row: a late holder could insert it again. Mark it as deleted.
 * @example
 * ```ts
 * const run: RunSql = async ({ sql, params }) => (await client.query(sql, [...params])).rows;
 * const outcome = await writeRow(run, lease, {
 *   table: 'orders',
 *   where: { id: '42' },
 *   set: { state: 'paid' },
 * });
 * if (outcome === 'refused') log('late');
 * ```
 * @throws CapabilityError: the lease has no token. InvalidOptionError: a name is no plain name, or nothing is to be written
 */
export async function writeRow(
  run: RunSql,
  lease: FencedLease,
  write: BlindWrite,
): Promise<RowOutcome> {
  const { token } = fenceOf(lease.key, lease.fencingToken);
  const [reply] = await run(rowStatement(write, token));
  if (reply?.['written'] === true) return 'written';
  return reply?.['found'] === true ? 'refused' : 'no-row';
}

function rowStatement(
  { table, where, set, fence = 'fence' }: BlindWrite,
  token: bigint,
): SqlStatement {
  const params = [`${token}`, ...Object.values(where), ...Object.values(set)];
  const [keys, columns] = [Object.keys(where), Object.keys(set)];
  for (const name of [table, fence, ...keys, ...columns]) checkName(name);
  if (keys.length === 0 || columns.length === 0)
    throw new InvalidOptionError(`${NAME}: writeRow needs columns in where and in set`, {
      backend: NAME,
    });
  const match = keys.map((name, at) => `${name} = $${at + 2}`).join(' AND ');
  const values = columns.map((name, at) => `${name} = $${at + 2 + keys.length}`).join(', ');
  const sql = `WITH written AS (
  UPDATE ${table} SET ${values}, ${fence} = CAST($1 AS bigint)
  WHERE ${match} AND ${fence} <= CAST($1 AS bigint) RETURNING 1
)
SELECT EXISTS (SELECT FROM written) AS written, EXISTS (SELECT FROM ${table} WHERE ${match}) AS found`;
  return { sql, params };
}

function checkName(name: string): void {
  if (COLUMN.test(name)) return;
  throw new InvalidOptionError(`${NAME}: ${JSON.stringify(name)} must be a plain name`, {
    backend: NAME,
  });
}
