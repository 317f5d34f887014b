import { sqliteGuard } from '@holdfast/guard';
import { CREATE_ROWS, type GuardSubject, sqliteTransaction } from '@holdfast/harness/guards';
import Database from 'libsql';

/** A database of SQLite in a file, with a connection for each holder. */
export class SqliteFile {
  readonly #path: string;
  readonly #connections = new Map<string, Database.Database>();

  constructor(path: string) {
    this.#path = path;
    const judge = this.#connection('judge');
    judge.exec(CREATE_ROWS);
    sqliteGuard(judge).createTable();
  }

  subject(): GuardSubject {
    return sqliteTransaction({
      name: 'sqlite',
      connection: (of) => this.#connection(of),
      values: (sql) => this.#connection('judge').prepare(sql).pluck().all().map(Number),
      isBusy: (error) => Object(error)['code'] === 'SQLITE_BUSY',
    });
  }

  close(): void {
    for (const connection of this.#connections.values()) connection.close();
  }

  #connection(of: string): Database.Database {
    const found = this.#connections.get(of);
    if (found !== undefined) return found;
    const opened = new Database(this.#path, { timeout: 0 });
    this.#connections.set(of, opened);
    return opened;
  }
}
