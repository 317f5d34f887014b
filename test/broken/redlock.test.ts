import { REDLOCK_MUTANTS } from './mutants/redlock.ts';
import { testMutants } from './try-mutants.ts';

testMutants(REDLOCK_MUTANTS);
