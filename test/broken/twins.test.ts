import { TWIN_MUTANTS } from './mutants/twins.ts';
import { tryMutants } from './try-mutants.ts';

tryMutants(TWIN_MUTANTS);
