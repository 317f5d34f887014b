import { ANSWER_MUTANTS } from './mutants/answers.ts';
import { tryMutants } from './try-mutants.ts';

tryMutants(ANSWER_MUTANTS);
