import { REFUSAL_MUTANTS } from './mutants/refusals.ts';
import { tryMutants } from './try-mutants.ts';

tryMutants(REFUSAL_MUTANTS);
