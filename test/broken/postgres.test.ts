import { POSTGRES_MUTANTS } from './mutants/postgres.ts';
import { testMutants } from './try-mutants.ts';

testMutants(POSTGRES_MUTANTS);
