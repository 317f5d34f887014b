import { FAMILY_MUTANTS } from './mutants/family.ts';
import { testMutants } from './try-mutants.ts';

testMutants(FAMILY_MUTANTS);
