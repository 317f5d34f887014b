export type { PostgresSource } from './adapters/open-database.ts';
export { advisoryCapabilities } from './advisory/identity.ts';
export { openPostgresAdvisory, type PostgresAdvisoryOptions } from './advisory/open.ts';
export { type CreateSchemaOptions, createSchema } from './create-schema.ts';
export { capabilities, synchronousCapabilities } from './identity.ts';
export { openPostgres, type PostgresOptions } from './open.ts';
export * from './port.ts';
export { migration } from './schema.ts';
export {
  type CheckedLease,
  type PgTransaction,
  type PostgresJsTransaction,
  type Transaction,
  type WithinOptions,
  within,
} from './within.ts';
