import type { PostgresSource } from '@holdfast/postgres';
import * as v from 'valibot';
import type { Reject } from './record.ts';

/** The part of a configuration that says which PostgreSQL to use. */
export interface PostgresSourceConfig {
  /** `postgres://user:password@host:5432/database`. Either this or `client`. */
  readonly url?: string | undefined;
  /** A pool of `pg`, whose connections are used, or an instance of `postgres`, used for its configuration. */
  readonly client?: Exclude<PostgresSource, string> | undefined;
  /** The client library that opens `url`; default: the installed one, `pg` first. */
  readonly library?: 'pg' | 'postgres' | undefined;
  /** For `url`: connect over TLS, with these options of `tls.connect`, for example `{ ca }`. */
  readonly tls?: object | undefined;
}

const NO_URL = 'must be a URL that starts with postgres:// or postgresql://';
const NO_CLIENT = 'must be a pool of pg or an instance of postgres';

export const postgresUrl: v.GenericSchema<string> = v.pipe(
  v.string('must be a string'),
  v.regex(/^postgres(?:ql)?:\/\//i, NO_URL),
  v.description('postgres://user:password@host:5432/database.'),
);

export const postgresClient: v.GenericSchema<Exclude<PostgresSource, string> | undefined> =
  v.optional(v.custom<Exclude<PostgresSource, string>>(isObject, NO_CLIENT));

/** The options of every backend on PostgreSQL. */
export const connectOptions: {
  readonly library: v.GenericSchema<'pg' | 'postgres' | undefined>;
  readonly tls: v.GenericSchema<object | undefined>;
} = {
  library: v.optional(
    v.pipe(
      v.picklist(['pg', 'postgres'], 'must be "pg" or "postgres"'),
      v.description('The client library that opens the URL; default: the installed one, pg first.'),
    ),
  ),
  tls: v.optional(
    v.pipe(
      v.looseObject({}, 'must be an object'),
      v.description(
        'Connect over TLS, with these options of tls.connect, for example { "ca": "…" }.',
      ),
    ),
  ),
};

function isObject(value: unknown): boolean {
  return (typeof value === 'object' && value !== null) || typeof value === 'function';
}

/** Checks that the server is given once: by its URL, or by a client. */
export function checkSource(
  { backend, url, client, library, tls }: PostgresSourceConfig & { readonly backend: string },
  reject: Reject,
): void {
  if (url === undefined && client === undefined)
    reject(`backend ${backend} needs "url", for example "postgres://localhost/app", or "client".`);
  if (url !== undefined && client !== undefined) reject('"url" and "client" exclude each other.');
  if (client === undefined) return;
  if (library !== undefined) reject('"library" is for "url" only; remove it beside "client".');
  if (tls !== undefined) reject('"tls" is for "url" only; a client has its own.');
}
