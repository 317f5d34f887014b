import { DUPLICATE_NODE_MUTANTS } from './mutants/twins.ts';
import { testMutants } from './try-mutants.ts';

testMutants(DUPLICATE_NODE_MUTANTS);
