import { InvalidOptionError } from '@holdfast/core';
import { type Fence, NAME } from '../fence.ts';

/** A statement with its parameters. All are texts: numbers beyond 2^53 would lose bits in a client. */
export interface SqlStatement {
  /** With `$1` or `?`, as the server has them. */
  readonly sql: string;
  /** One for each placeholder, in order. */
  readonly params: readonly string[];
}

/** The names of the kinds of SQL that are known. */
export type SqlDialectName = 'postgres' | 'mysql' | 'sqlite';

/** The statements of one kind of SQL. */
export interface SqlDialect {
  readonly createTable: string;
  /**
   * In order. The last row of the last one has the largest token seen as `token`; if there is none, the token is refused.
   */
  raise(fence: Fence): readonly SqlStatement[];
  /** Reads the mark, to say in an error how large it is. */
  largest(key: string): SqlStatement;
}

/** Default name of the table with the marks. */
const TABLE = 'holdfast_fence';
const TABLE_NAME = /^[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)?$/;

/** Returns a name that needs no quotes in any dialect. */
export function tableOf(table: string = TABLE): string {
  if (TABLE_NAME.test(table)) return table;
  const message = `${NAME}: table ${JSON.stringify(table)} must be a plain name, such as ${TABLE} or app.${TABLE}`;
  throw new InvalidOptionError(message, { backend: NAME });
}
