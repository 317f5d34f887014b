/** The members of the client libraries that are used, so that neither is needed to compile. */

/** A result of `pg`. */
export interface PgResult {
  readonly rows: readonly Readonly<Record<string, unknown>>[];
}

/** A client of `pg`. */
export interface PgClient {
  connect(): Promise<unknown>;
  /** Several statements have several results. */
  query(text: string): Promise<PgResult | readonly PgResult[]>;
  on(event: string, listener: (...args: never[]) => void): unknown;
  off(event: string, listener: object): unknown;
  end(): Promise<unknown>;
  /** Lets the process exit although the connection is open. */
  unref?(): void;
}

/** A client that a pool of `pg` has handed out. */
export interface PgPoolClient extends Omit<PgClient, 'connect' | 'end'> {
  /** True: ends the connection. */
  release(isBroken?: boolean): void;
}

/** A pool of `pg`. */
export interface PgPool {
  connect(): Promise<PgPoolClient>;
  readonly options: object;
}

type PgClientClass = new (options: object) => PgClient;

/** A query of `postgres`. */
export interface PostgresJsQuery {
  /** As one message, which may contain several statements. */
  simple(): Promise<readonly unknown[]>;
}

/** An instance of `postgres`, which is a function, too. */
export interface PostgresJs {
  unsafe(text: string): PostgresJsQuery;
  end(options: { readonly timeout: number }): Promise<unknown>;
  readonly options: PostgresJsOptions;
}

/** The parsed options of an instance that say where to connect, and as which user. */
export interface PostgresJsOptions {
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

/** Takes a URL and options, or options alone. */
export type MakePostgresJs = (target: string | object, options?: object) => PostgresJs;

export function isPgPool(source: unknown): source is PgPool {
  return typeof source === 'object' && has(source, 'connect', 'options', 'Client');
}

/** The class of the clients of a pool, which its types leave out. */
export function clientClassOf(pool: PgPool): PgClientClass {
  const found: unknown = Reflect.get(pool, 'Client');
  if (isClientClass(found)) return found;
  throw new TypeError('the pool has no class of clients');
}

function isClientClass(value: unknown): value is PgClientClass {
  return typeof value === 'function';
}

export function isPostgresJs(source: unknown): source is PostgresJs {
  return typeof source === 'function' && has(source, 'unsafe', 'end', 'options');
}

function has(value: object | null, ...names: readonly string[]): boolean {
  return value !== null && names.every((name) => name in value);
}
