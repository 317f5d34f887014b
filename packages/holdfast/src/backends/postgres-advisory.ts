import * as v from 'valibot';
import { defaults, name, text } from '../config/fields.ts';
import type { LockDefaults } from '../config/types.ts';
import {
  checkSource,
  connectOptions,
  type PostgresSourceConfig,
  postgresClient,
  postgresUrl,
} from './postgres-options.ts';
import type { BackendRecord } from './record.ts';

/** Advisory locks of one session in PostgreSQL; `ttlMs` is how long a holder relies on a session that does not reply. */
export interface PostgresAdvisoryConfig extends LockDefaults, PostgresSourceConfig {
  readonly backend: 'postgres-advisory';
  /** Part of every lock's name; default `holdfast`. Locks of two namespaces never exclude each other. */
  readonly namespace?: string | undefined;
}

const backend = name('postgres-advisory', 'Advisory locks of one session in PostgreSQL.');
const options = {
  ...connectOptions,
  namespace: text(
    'Part of every lock\'s name; default "holdfast". Locks of two namespaces never exclude each other.',
  ),
  ...defaults,
};

export const postgresAdvisory: BackendRecord<PostgresAdvisoryConfig> = {
  name: 'postgres-advisory',
  schemes: {
    'postgres-advisory': {
      shown: 'postgres-advisory://',
      config: (_, rest) => ({ backend: 'postgres-advisory', url: `postgres:${rest}` }),
    },
  },
  schema: v.strictObject({
    backend,
    url: v.optional(postgresUrl),
    client: postgresClient,
    ...options,
  }),
  fileSchema: v.strictObject({ backend, url: postgresUrl, ...options }),
  omitted: { fencingEpoch: 'it has no fencing tokens.' },
  check: checkSource,
  load: async () => {
    const { advisoryCapabilities, openPostgresAdvisory } = await import('@holdfast/postgres');
    return {
      capabilities: advisoryCapabilities,
      open: ({ url: address, client, library, tls, namespace, ttlMs }, host) => {
        const source = address ?? client;
        return openPostgresAdvisory({ source, library, tls, namespace, ttlMs }, host);
      },
    };
  },
};
