import { LIVENESS_MUTANTS } from './mutants/liveness.ts';
import { testMutants } from './try-mutants.ts';

testMutants(LIVENESS_MUTANTS);
