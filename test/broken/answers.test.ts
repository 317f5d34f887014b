import { ANSWER_MUTANTS } from './mutants/answers.ts';
import { testMutants } from './try-mutants.ts';

testMutants(ANSWER_MUTANTS);
