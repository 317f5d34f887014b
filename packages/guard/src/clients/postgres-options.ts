import type { SqlStatement } from '../sql/dialect.ts';

/** Options of a guard on PostgreSQL. */
export interface PostgresOptions {
  /** Of its transactions; default `READ COMMITTED`. Each is safe; the higher ones repeat transactions more often. */
  readonly isolation?: 'READ COMMITTED' | 'REPEATABLE READ' | 'SERIALIZABLE' | undefined;
  /** Of the marks; default `holdfast_fence`. */
  readonly table?: string | undefined;
}

/** After a write: without BEGIN, the transaction of the write has ended with it. */
export const TRANSACTION_ID: SqlStatement = {
  sql: 'SELECT CAST(pg_current_xact_id_if_assigned() AS text) AS id',
  params: [],
};

/**
 * Fails in a transaction that has failed before. Clients that do not read the reply to COMMIT would report a rollback as
 * success, if the body has caught the error.
 */
export const STILL_OPEN: SqlStatement = { sql: 'SELECT 1', params: [] };
