import type { PostgresSource } from '@holdfast/postgres';
import * as v from 'valibot';
import { count, defaults, fencingEpoch, flag, name, text } from '../config/fields.ts';
import type { FencingOptions, LockDefaults } from '../config/types.ts';
import type { BackendRecord, Reject } from './record.ts';

/** Rows of a table in PostgreSQL. */
export interface PostgresConfig extends LockDefaults, FencingOptions {
  readonly backend: 'postgres';
  /** `postgres://user:password@host:5432/database`. Either this or `client`. */
  readonly url?: string | undefined;
  /** A pool of `pg`, whose connections are used, or an instance of `postgres`, used for its configuration. */
  readonly client?: Exclude<PostgresSource, string> | undefined;
  /** The client library that opens `url`; default: the installed one, `pg` first. */
  readonly library?: 'pg' | 'postgres' | undefined;
  /** For `url`: connect over TLS, with these options of `tls.connect`, for example `{ ca }`. */
  readonly tls?: object | undefined;
  /** The limit of connections, without the one that listens; default 4. A pool has its own. */
  readonly connections?: number | undefined;
  /** The schema of the tables; default `holdfast`. */
  readonly schema?: string | undefined;
  /** Kept with every key; default `holdfast`. Locks of two namespaces never exclude each other. */
  readonly namespace?: string | undefined;
  /** True: a grant or renewal counts only once a synchronous standby has it; fencing is strict then. Default false. */
  readonly synchronous?: boolean | undefined;
}

const NO_URL = 'must be a URL that starts with postgres:// or postgresql://';
const NO_CLIENT = 'must be a pool of pg or an instance of postgres';

const backend = name('postgres', 'Rows of a table in PostgreSQL.');
const url: v.GenericSchema<string> = v.pipe(
  v.string('must be a string'),
  v.regex(/^postgres(?:ql)?:\/\//i, NO_URL),
  v.description('postgres://user:password@host:5432/database.'),
);
const options = {
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
  connections: count(100, 'The limit of connections, without the one that listens; default 4.'),
  schema: text('The schema of the tables; default "holdfast".'),
  namespace: text(
    'Kept with every key; default "holdfast". Locks of two namespaces never exclude each other.',
  ),
  synchronous: flag(
    'true: a grant or renewal counts only once a synchronous standby has it; fencing is strict then.',
  ),
  fencingEpoch,
  ...defaults,
};

export const postgres: BackendRecord<PostgresConfig> = {
  name: 'postgres',
  schemes: {
    postgres: {
      shown: 'postgres://',
      config: (address) => ({ backend: 'postgres', url: address }),
    },
    postgresql: {
      shown: 'postgresql://',
      config: (address) => ({ backend: 'postgres', url: address }),
    },
  },
  schema: v.strictObject({
    backend,
    url: v.optional(url),
    client: v.optional(v.custom<Exclude<PostgresSource, string>>(isObject, NO_CLIENT)),
    ...options,
  }),
  fileSchema: v.strictObject({ backend, url, ...options }),
  check,
  migration: async (schema) => (await import('@holdfast/postgres')).migration(schema),
  load: async ({ synchronous }) => {
    const { capabilities, openPostgres, synchronousCapabilities } = await import(
      '@holdfast/postgres'
    );
    return {
      capabilities: synchronous === true ? synchronousCapabilities : capabilities,
      open: ({ url: address, client, library, tls, connections, ...rest }, host) => {
        const { schema, namespace, synchronous: isSynchronous } = rest;
        const where = { schema, namespace, synchronous: isSynchronous };
        const source = address ?? client;
        return openPostgres({ source, library, tls, connections, ...where }, host);
      },
    };
  },
};

function isObject(value: unknown): boolean {
  return (typeof value === 'object' && value !== null) || typeof value === 'function';
}

/** Checks that the server is given once: by its URL, or by a client. */
function check({ url: address, client, library, tls }: PostgresConfig, reject: Reject): void {
  if (address === undefined && client === undefined)
    reject('backend postgres needs "url", for example "postgres://localhost/app", or "client".');
  if (address !== undefined && client !== undefined)
    reject('"url" and "client" exclude each other.');
  if (client === undefined) return;
  if (library !== undefined) reject('"library" is for "url" only; remove it beside "client".');
  if (tls !== undefined) reject('"tls" is for "url" only; a client has its own.');
}
