import type { SqlDialectName } from '../sql/dialect.ts';
import type { SqlClient } from '../sql/sql-guard.ts';
import { STILL_OPEN, TRANSACTION_ID } from './postgres-options.ts';

/** Options of a guard through a query builder. */
export interface BuilderOptions<Dialect extends SqlDialectName> {
  /** The database below it. */
  readonly dialect: Dialect;
  /** Of the marks; default `holdfast_fence`. */
  readonly table?: string | undefined;
}

export function ofDialect(
  dialect: SqlDialectName,
): Pick<SqlClient<unknown>, 'beforeCommit' | 'transactionId'> {
  if (dialect !== 'postgres') return {};
  return { beforeCommit: STILL_OPEN, transactionId: TRANSACTION_ID };
}
