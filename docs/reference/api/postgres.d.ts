// Every public name of this package, as the compiler emits it. Generated: npm run api

// ========== @holdfast/postgres ==========

type Argument = string | number;

interface CallOptions {
  readonly deadlineMs: number;
}

type ChannelEvent = {
  readonly kind: 'message';
  readonly payload: string;
} | {
  readonly kind: 'gap';
};

interface CheckedLease {
  readonly key: string;
  readonly owner: string;
  readonly fencingToken?: bigint | undefined;
}

interface CreateSchemaOptions {
  readonly source: PostgresSource;
  readonly schema?: string | undefined;
  readonly library?: PostgresLibrary | undefined;
  readonly tls?: object | undefined;
}

class DatabaseDoubt extends Error {
  readonly name = "DatabaseDoubt";
  constructor(message: string, cause?: unknown);
}

class DatabaseReplyError extends Error {
  readonly name = "DatabaseReplyError";
  readonly code: string;
  constructor(code: string, message: string);
}

interface DatabaseSession {
  run(statement: Statement, args: readonly Argument[], options: CallOptions): Promise<Reply>;
  onEnd(listener: () => void): void;
  close(): void;
}

class DatabaseUnavailable extends Error {
  readonly name = "DatabaseUnavailable";
  constructor(message: string, cause?: unknown);
}

interface PgTransaction {
  query(text: string, values: string[]): Promise<{
    readonly rows: readonly Readonly<Record<string, unknown>>[];
  }>;
}

class PooledSession extends Error {
  readonly name = "PooledSession";
}

interface PostgresAdvisoryOptions extends Omit<SourceOptions, 'connections'> {
  readonly namespace?: string | undefined;
  readonly ttlMs?: number | undefined;
}

interface PostgresDatabase {
  readonly address: string;
  run(statement: Statement, args: readonly Argument[], options: CallOptions): Promise<Reply>;
  listen(channel: string, listener: (event: ChannelEvent) => void, options: CallOptions): Promise<Subscription>;
  openSession(options: CallOptions): Promise<DatabaseSession>;
  close(): Promise<void>;
}

interface PostgresJsTransaction {
  unsafe(text: string, values: string[]): PromiseLike<readonly Readonly<Record<string, unknown>>[]>;
}

interface PostgresOptions extends SourceOptions {
  readonly schema?: string | undefined;
  readonly namespace?: string | undefined;
  readonly synchronous?: boolean | undefined;
}

type PostgresSource = string | PgPool | PostgresJs;

interface Reply {
  readonly rows: readonly Row[];
  readonly sentAt: Instant;
}

type Row = Readonly<Record<string, string | null>>;

interface Statement {
  readonly name: string;
  readonly sql: string;
}

interface Subscription {
  close(): void;
}

type Transaction = PgTransaction | PostgresJsTransaction;

interface WithinOptions {
  readonly schema?: string | undefined;
  readonly namespace?: string | undefined;
}

const advisoryCapabilities: Capabilities;

const capabilities: Capabilities;

function createSchema({ source, schema, library, tls }: CreateSchemaOptions, { runtime }: Pick<Host, 'runtime'>): Promise<void>;

function migration(schema?: string): string;

function openPostgres(options: PostgresOptions, host: Host): Promise<Backend>;

function openPostgresAdvisory({ namespace, ttlMs, ...options }: PostgresAdvisoryOptions, host: Host): Promise<Backend>;

const synchronousCapabilities: Capabilities & {
  readonly fencing: 'strict';
};

function within(lease: CheckedLease, tx: Transaction, { schema, namespace }?: WithinOptions): Promise<void>;

// ----- without a name of its own in @holdfast/postgres -----

interface DatabaseOptions {
  readonly runtime: Runtime;
  readonly library?: PostgresLibrary | undefined;
  readonly tls?: object | undefined;
  readonly connections?: number | undefined;
}

interface PgClient {
  connect(): Promise<unknown>;
  query(text: string): Promise<PgResult | readonly PgResult[]>;
  on(event: string, listener: (...args: never[]) => void): unknown;
  off(event: string, listener: object): unknown;
  end(): Promise<unknown>;
  unref?(): void;
}

interface PgPool {
  connect(): Promise<PgPoolClient>;
  readonly options: object;
}

interface PgPoolClient extends Omit<PgClient, 'connect' | 'end'> {
  release(isBroken?: boolean): void;
}

interface PgResult {
  readonly rows: readonly Readonly<Record<string, unknown>>[];
}

interface PostgresJs {
  unsafe(text: string): PostgresJsQuery;
  end(options: {
    readonly timeout: number;
  }): Promise<unknown>;
  readonly options: PostgresJsOptions;
}

interface PostgresJsOptions {
  readonly host: readonly string[];
  readonly port: readonly number[];
  readonly path?: unknown;
  readonly database: string;
  readonly user: string;
  readonly pass: unknown;
  readonly ssl?: unknown;
  readonly max: number;
  readonly connection: Readonly<Record<string, unknown>>;
  readonly target_session_attrs?: unknown;
}

interface PostgresJsQuery {
  simple(): Promise<readonly unknown[]>;
}

type PostgresLibrary = 'pg' | 'postgres';

interface SourceOptions extends Omit<DatabaseOptions, 'runtime'> {
  readonly source?: PostgresSource | undefined;
  readonly database?: PostgresDatabase | undefined;
}

// ========== @holdfast/postgres/sessions ==========

interface BoundStatement {
  readonly statement: Statement;
  readonly args: readonly Argument[];
}

class Database implements PostgresDatabase {
  readonly address: string;
  constructor({ runtime, sessions, dialer }: DatabaseParts);
  run(statement: Statement, args: readonly Argument[], { deadlineMs }: CallOptions): Promise<Reply>;
  listen(channel: string, listener: (event: ChannelEvent) => void, options: CallOptions): Promise<Subscription>;
  openSession({ deadlineMs }: CallOptions): Promise<DatabaseSession>;
  close(): Promise<void>;
}

interface DatabaseParts {
  readonly runtime: Runtime;
  readonly sessions: SessionSource;
  readonly dialer: Dialer;
}

interface Dialer {
  readonly address: string;
  dial(): Promise<Session>;
}

interface Session {
  run(text: string, bound?: BoundStatement): Promise<SessionReply>;
  onNotification(listener: (channel: string, payload: string) => void): void;
  onEnd(listener: () => void): void;
  close(): void;
}

class SessionPool implements SessionSource {
  constructor(dialer: Dialer, runtime: Runtime, max: number);
  take(deadlineMs: number): Promise<Session>;
  give(session: Session, isUsable: boolean): void;
  close(): Promise<void>;
}

interface SessionReply {
  readonly rows: readonly Row[];
  readonly warning?: string | undefined;
}

interface SessionSource {
  take(deadlineMs: number): Promise<Session>;
  give(session: Session, isUsable: boolean): void;
  close(): Promise<void>;
}

// ========== @holdfast/postgres/port ==========

// Argument, as in @holdfast/postgres

// CallOptions, as in @holdfast/postgres

// ChannelEvent, as in @holdfast/postgres

// DatabaseDoubt, as in @holdfast/postgres

// DatabaseReplyError, as in @holdfast/postgres

// DatabaseSession, as in @holdfast/postgres

// DatabaseUnavailable, as in @holdfast/postgres

// PooledSession, as in @holdfast/postgres

// PostgresDatabase, as in @holdfast/postgres

// Reply, as in @holdfast/postgres

// Row, as in @holdfast/postgres

// Statement, as in @holdfast/postgres

// Subscription, as in @holdfast/postgres
