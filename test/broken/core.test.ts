import { CORE_MUTANTS } from './mutants/core.ts';
import { testMutants } from './try-mutants.ts';

testMutants(CORE_MUTANTS);
