import { RARE_MOMENT_MUTANTS } from './mutants/rare-moments.ts';
import { testMutants } from './try-mutants.ts';

testMutants(RARE_MOMENT_MUTANTS);
