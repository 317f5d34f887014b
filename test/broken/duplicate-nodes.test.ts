import { DUPLICATE_NODE_MUTANTS } from './mutants/duplicate-nodes.ts';
import { testMutants } from './try-mutants.ts';

testMutants(DUPLICATE_NODE_MUTANTS);
