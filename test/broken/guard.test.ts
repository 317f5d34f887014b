import { GUARD_MUTANTS } from './mutants/guard.ts';
import { testMutants } from './try-mutants.ts';

testMutants(GUARD_MUTANTS);
