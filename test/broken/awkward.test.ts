import { AWKWARD_MUTANTS } from './mutants/awkward.ts';
import { tryMutants } from './try-mutants.ts';

tryMutants(AWKWARD_MUTANTS);
