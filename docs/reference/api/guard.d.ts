// Every public name of this package, as the compiler emits it. Generated: npm run api

// ========== @holdfast/guard ==========

interface BlindWrite {
  readonly table: string;
  readonly where: Readonly<Record<string, string>>;
  readonly set: Readonly<Record<string, string>>;
  readonly fence?: string | undefined;
}

interface BuilderOptions<Dialect extends SqlDialectName> {
  readonly dialect: Dialect;
  readonly table?: string | undefined;
}

interface DrizzleDatabase<Tx> {
  transaction<T>(body: (tx: Tx) => Promise<T>): Promise<T>;
}

interface DrizzleTransaction<Query> {
  execute(query: Query): PromiseLike<unknown>;
}

type ExpressMiddleware<Request> = (request: Request, response: HttpResponse, next: (error?: unknown) => void) => Promise<void>;

type FastifyHook<Request> = (request: Request, reply: FastifyReply) => Promise<unknown>;

interface FastifyReply {
  code(status: number): unknown;
  send(body: unknown): unknown;
}

interface FencedLease {
  readonly key: string;
  readonly fencingToken: bigint | undefined;
}

interface FencedLeases {
  readonly fencingTokens: ReadonlyMap<string, bigint | undefined>;
}

interface GuardedScript {
  readonly source: string;
  readonly keys: readonly string[];
  readonly args?: readonly string[] | undefined;
}

class HttpGuard<Request extends HttpRequest = HttpRequest> {
  constructor(marks: Marks, options?: HttpGuardOptions<Request>);
  get express(): ExpressMiddleware<Request>;
  get fastify(): FastifyHook<Request>;
  leaseOf(request: Request): FencedLease | undefined;
}

interface HttpGuardOptions<Request> {
  readonly keyOf?: ((request: Request) => string) | undefined;
  readonly required?: boolean | undefined;
}

interface HttpRequest {
  readonly headers: RequestHeaders;
}

interface HttpResponse {
  writeHead(status: number, headers: Record<string, string>): unknown;
  end(body: string): unknown;
}

interface IoredisEval {
  eval(script: string, keys: number, ...args: string[]): Promise<unknown>;
  defineCommand: unknown;
}

interface KyselyDatabase<Tx> {
  transaction(): {
    execute<T>(body: (tx: Tx) => Promise<T>): Promise<T>;
  };
}

interface KyselyTransaction<Query> {
  executeQuery(query: Query): Promise<{
    readonly rows: SqlRow[];
  }>;
}

interface Marks {
  admit(lease: FencedLease): Promise<void> | void;
}

interface MemoryMarksOptions {
  readonly replicas: number;
}

interface Mysql2Options {
  readonly isolation?: 'READ COMMITTED' | 'REPEATABLE READ' | 'SERIALIZABLE' | undefined;
  readonly table?: string | undefined;
}

interface Mysql2Pool {
  getConnection(): Promise<Mysql2PoolConnection>;
}

interface Mysql2PoolConnection extends Mysql2Transaction {
  release(): void;
  destroy(): void;
}

interface Mysql2Transaction {
  query(sql: string, params?: unknown[]): Promise<[unknown, unknown]>;
}

interface NodeRedisEval {
  eval(script: string, options: {
    keys: string[];
    arguments: string[];
  }): Promise<unknown>;
  sendCommand: unknown;
}

interface PgPool {
  connect(): Promise<PgPoolClient>;
}

interface PgPoolClient extends PgTransaction {
  release(isBroken?: boolean): void;
  on(event: 'error', listener: (error: Error) => void): unknown;
  off(event: 'error', listener: (error: Error) => void): unknown;
}

interface PgReply {
  readonly rows: readonly SqlRow[];
  readonly rowCount?: number | null;
  readonly command?: string;
}

interface PgTransaction {
  query(text: string, values?: unknown[]): Promise<PgReply>;
}

interface PostgresJs<Tx extends PostgresJsTransaction> {
  begin(options: string, body: (tx: Tx) => Promise<unknown>): Promise<unknown>;
}

interface PostgresJsTransaction {
  unsafe(text: string, values?: string[]): PromiseLike<readonly SqlRow[]>;
}

interface PostgresOptions {
  readonly isolation?: 'READ COMMITTED' | 'REPEATABLE READ' | 'SERIALIZABLE' | undefined;
  readonly table?: string | undefined;
}

interface PrismaClient<Tx> {
  $transaction<T>(body: (tx: Tx) => Promise<T>): Promise<T>;
}

interface PrismaTransaction {
  $queryRawUnsafe(sql: string, ...params: unknown[]): Promise<unknown>;
  $executeRawUnsafe(sql: string, ...params: unknown[]): Promise<unknown>;
}

type RedisEval = IoredisEval | NodeRedisEval;

class RedisGuard {
  constructor(client: RedisEval, { mark }?: RedisGuardOptions);
  admit(lease: FencedLease): Promise<void>;
  set(lease: FencedLease, key: string, value: string): Promise<void>;
  run(lease: FencedLease, { source, keys, args }: GuardedScript): Promise<unknown>;
}

interface RedisGuardOptions {
  readonly mark?: ((key: string) => string) | undefined;
}

type RequestHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

type RowOutcome = 'written' | 'refused' | 'no-row';

type RunSql = (statement: SqlStatement) => Promise<readonly Readonly<Record<string, unknown>>[]>;

type SqlDialectName = 'postgres' | 'mysql' | 'sqlite';

class SqlGuard<Tx> {
  constructor(client: SqlClient<Tx>, dialect: SqlDialect);
  get migration(): string;
  createTable(): Promise<void>;
  transaction<T>(lease: FencedLease | FencedLeases, body: (tx: Tx) => Promise<T>, { attempts }?: TransactionOptions): Promise<T>;
  raise(tx: Tx, lease: FencedLease | FencedLeases): Promise<void>;
  admit(lease: FencedLease | FencedLeases): Promise<void>;
}

type SqlRow = Readonly<Record<string, unknown>>;

interface SqlStatement {
  readonly sql: string;
  readonly params: readonly string[];
}

interface SqliteDatabase {
  exec(sql: string): unknown;
  prepare(sql: string): {
    get(...params: string[]): unknown;
  };
  readonly isTransaction?: boolean;
  readonly inTransaction?: boolean;
}

class SqliteGuard {
  constructor(database: SqliteDatabase, { table }?: SqliteOptions);
  get migration(): string;
  createTable(): void;
  transaction<T>(lease: FencedLease | FencedLeases, body: () => T): T;
  raise(lease: FencedLease | FencedLeases): void;
  admit(lease: FencedLease | FencedLeases): void;
}

interface SqliteOptions {
  readonly table?: string | undefined;
}

interface StaleTokenDetails extends LockErrorDetails {
  readonly token: bigint;
  readonly largest?: bigint | undefined;
}

class StaleTokenError extends LockError {
  readonly name: string;
  readonly token: bigint;
  readonly largest: bigint | undefined;
  constructor(message: string, details: StaleTokenDetails);
}

interface TransactionOptions {
  readonly attempts?: number | undefined;
}

class WriteUnknownError extends LockError {
  readonly name: string;
  constructor(message: string, details: LockErrorDetails);
}

function drizzleGuard<Tx extends DrizzleTransaction<Query>, Query>(database: DrizzleDatabase<Tx>, options: BuilderOptions<'postgres' | 'mysql'> & {
  readonly sql: (text: TemplateStringsArray, ...params: unknown[]) => Query;
}): SqlGuard<Tx>;

function fenceHeaders(lease: FencedLease): Record<string, string>;

function kyselyGuard<Tx extends KyselyTransaction<Query>, Query>(database: KyselyDatabase<Tx>, options: BuilderOptions<SqlDialectName> & {
  readonly raw: (sql: string, params: unknown[]) => Query;
}): SqlGuard<Tx>;

function memoryMarks({ replicas }: MemoryMarksOptions): Marks;

function mysql2Guard(pool: Mysql2Pool, { isolation, table }?: Mysql2Options): SqlGuard<Mysql2Transaction>;

function pgGuard(pool: PgPool, options?: PostgresOptions): SqlGuard<PgTransaction>;

function postgresJsGuard<Tx extends PostgresJsTransaction = PostgresJsTransaction>(sql: PostgresJs<Tx>, { isolation, table }?: PostgresOptions): SqlGuard<Tx>;

function prismaGuard<Tx extends PrismaTransaction>(prisma: PrismaClient<Tx>, { dialect, table }: BuilderOptions<'postgres' | 'mysql'>): SqlGuard<Tx>;

function redisGuard(client: RedisEval, options?: RedisGuardOptions): RedisGuard;

function sqliteGuard(database: SqliteDatabase, options?: SqliteOptions): SqliteGuard;

function writeRow(run: RunSql, lease: FencedLease, write: BlindWrite): Promise<RowOutcome>;

// ----- without a name of its own in @holdfast/guard -----

interface Fence {
  readonly key: string;
  readonly token: bigint;
}

interface SqlClient<Tx> {
  transaction<T>(body: (tx: Tx) => Promise<T>): Promise<T>;
  rows(tx: Tx, statement: SqlStatement): Promise<readonly SqlRow[]>;
  readonly beforeCommit?: SqlStatement | undefined;
  readonly transactionId?: SqlStatement | undefined;
}

interface SqlDialect {
  readonly createTable: string;
  raise(fence: Fence): readonly SqlStatement[];
  largest(key: string): SqlStatement;
}
