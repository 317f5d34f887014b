import { type PgTransaction, pgGuard, postgresJsGuard, writeRow } from '@holdfast/guard';
import {
  CREATE_ORDER,
  CREATE_ROWS,
  drawOrder,
  type GuardedDatabase,
  KEY,
  type WriteOutcome,
} from '@holdfast/harness/guards';
import pg from 'pg';
import postgres from 'postgres';
import { PostgresServer } from '../../kit/real-servers.ts';

const WAITING = "SELECT count(*)::int AS n FROM pg_stat_activity WHERE wait_event_type = 'Lock'";

type Isolation = 'READ COMMITTED' | 'REPEATABLE READ' | 'SERIALIZABLE';

/** A PostgreSQL server with the rows and the marks, and the clients that guards go through. */
export class GuardedPostgres {
  readonly server: PostgresServer;
  readonly pool: pg.Pool;
  readonly sql: postgres.Sql;

  private constructor(server: PostgresServer) {
    this.server = server;
    this.pool = new pg.Pool({ connectionString: server.url, max: 6 });
    this.sql = postgres(server.url, { max: 4, onnotice: () => undefined });
  }

  static async start(): Promise<GuardedPostgres> {
    const started = new GuardedPostgres(await PostgresServer.start());
    await started.pool.query(CREATE_ROWS);
    await started.pool.query(CREATE_ORDER);
    await pgGuard(started.pool).createTable();
    return started;
  }

  throughPg(isolation: Isolation): GuardedDatabase<PgTransaction> {
    return {
      name: `postgres through pg, ${isolation}`,
      guard: pgGuard(this.pool, { isolation }),
      run: async (sql, tx = this.pool) => (await tx.query(sql)).rows,
      waiting: (signal) => this.#waiting(signal),
    };
  }

  throughPostgresJs(): GuardedDatabase<postgres.TransactionSql> {
    return {
      name: 'postgres through postgres',
      guard: postgresJsGuard<postgres.TransactionSql>(this.sql),
      run: async (sql, tx) => await (tx ?? this.sql).unsafe(sql),
      waiting: (signal) => this.#waiting(signal),
    };
  }

  /** With the token that the row has, and no other. */
  async writeRow(row: string, value: number, fencingToken: bigint): Promise<WriteOutcome> {
    const outcome = await writeRow(
      async ({ sql, params }) => (await this.pool.query(sql, [...params])).rows,
      { key: KEY, fencingToken },
      { table: 'guarded_rows', where: { id: row }, set: { n: `${value}` } },
    );
    return outcome === 'written' ? drawOrder(this.throughPg('READ COMMITTED')) : 'refused';
  }

  async close(): Promise<void> {
    await Promise.all([this.pool.end(), this.sql.end()]);
    await this.server.close();
  }

  async #waiting(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const { rows } = await this.pool.query(WAITING);
      if (rows[0].n > 0) return;
    }
  }
}
