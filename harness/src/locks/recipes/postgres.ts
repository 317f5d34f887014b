export { migration, openPostgres, openPostgresAdvisory } from '@holdfast/postgres';
