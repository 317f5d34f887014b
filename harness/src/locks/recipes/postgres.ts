export { openPostgres, openPostgresAdvisory } from '@holdfast/postgres';
