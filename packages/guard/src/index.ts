export type { BuilderOptions } from './clients/builder-options.ts';
export { type DrizzleDatabase, type DrizzleTransaction, drizzleGuard } from './clients/drizzle.ts';
export { type KyselyDatabase, type KyselyTransaction, kyselyGuard } from './clients/kysely.ts';
export {
  type Mysql2Options,
  type Mysql2Pool,
  type Mysql2PoolConnection,
  type Mysql2Transaction,
  mysql2Guard,
} from './clients/mysql2.ts';
export {
  type PgPool,
  type PgPoolClient,
  type PgReply,
  type PgTransaction,
  pgGuard,
} from './clients/pg.ts';
export {
  type PostgresJs,
  type PostgresJsTransaction,
  postgresJsGuard,
} from './clients/postgres-js.ts';
export type { PostgresOptions } from './clients/postgres-options.ts';
export { type PrismaClient, type PrismaTransaction, prismaGuard } from './clients/prisma.ts';
export {
  type GuardedScript,
  type IoredisEval,
  type NodeRedisEval,
  type RedisEval,
  RedisGuard,
  type RedisGuardOptions,
  redisGuard,
} from './clients/redis.ts';
export {
  type SqliteDatabase,
  SqliteGuard,
  type SqliteOptions,
  sqliteGuard,
} from './clients/sqlite.ts';
export { type StaleTokenDetails, StaleTokenError, WriteUnknownError } from './errors.ts';
export type { FencedLease, FencedLeases } from './fence.ts';
export { fenceHeaders, type RequestHeaders } from './http/headers.ts';
export {
  type ExpressMiddleware,
  type FastifyHook,
  type FastifyReply,
  HttpGuard,
  type HttpGuardOptions,
  type HttpRequest,
  type HttpResponse,
} from './http/http-guard.ts';
export { type Marks, type MemoryMarksOptions, memoryMarks } from './http/marks.ts';
export { type BlindWrite, type RowOutcome, type RunSql, writeRow } from './row.ts';
export type { SqlDialectName, SqlStatement } from './sql/dialect.ts';
export { SqlGuard, type SqlRow, type TransactionOptions } from './sql/sql-guard.ts';
