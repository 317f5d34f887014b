import * as v from 'valibot';
import { count, defaults, fencingEpoch, flag, name, text } from '../config/fields.ts';
import type { FencingOptions, LockDefaults } from '../config/types.ts';
import {
  checkSource,
  connectOptions,
  type PostgresSourceConfig,
  postgresClient,
  postgresUrl,
} from './postgres-options.ts';
import type { BackendRecord } from './record.ts';

/** Rows of a table in PostgreSQL. */
export interface PostgresConfig extends LockDefaults, FencingOptions, PostgresSourceConfig {
  readonly backend: 'postgres';
  /** The limit of connections, without the one that listens; default 4. A pool has its own. */
  readonly connections?: number | undefined;
  /** The schema of the tables; default `holdfast`. */
  readonly schema?: string | undefined;
  /** Kept with every key; default `holdfast`. Locks of two namespaces never exclude each other. */
  readonly namespace?: string | undefined;
  /** True: a grant or renewal counts only once a synchronous standby has it; fencing is strict then. Default false. */
  readonly synchronous?: boolean | undefined;
}

const backend = name('postgres', 'Rows of a table in PostgreSQL.');
const options = {
  ...connectOptions,
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
    url: v.optional(postgresUrl),
    client: postgresClient,
    ...options,
  }),
  fileSchema: v.strictObject({ backend, url: postgresUrl, ...options }),
  check: checkSource,
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
