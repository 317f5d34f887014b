import { type SqlDialect, type SqlDialectName, tableOf } from './dialect.ts';
import { mysqlDialect } from './mysql.ts';
import { postgresDialect } from './postgres.ts';
import { sqliteDialect } from './sqlite.ts';

const DIALECTS: Readonly<Record<SqlDialectName, (table: string) => SqlDialect>> = {
  postgres: postgresDialect,
  mysql: mysqlDialect,
  sqlite: sqliteDialect,
};

/** @throws InvalidOptionError if the name of the table is not a plain one */
export function dialectOf(name: SqlDialectName, table?: string): SqlDialect {
  return DIALECTS[name](tableOf(table));
}
