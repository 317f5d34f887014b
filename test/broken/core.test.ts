import { CORE_MUTANTS } from './mutants/core.ts';
import { tryMutants } from './try-mutants.ts';

tryMutants(CORE_MUTANTS);
