import { REFUSAL_MUTANTS } from './mutants/refusals.ts';
import { testMutants } from './try-mutants.ts';

testMutants(REFUSAL_MUTANTS);
