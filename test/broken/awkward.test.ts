import { RARE_MOMENT_MUTANTS } from './mutants/awkward.ts';
import { testMutants } from './try-mutants.ts';

testMutants(RARE_MOMENT_MUTANTS);
