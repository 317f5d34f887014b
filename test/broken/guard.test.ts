import { GUARD_MUTANTS } from './mutants/guard.ts';
import { tryMutants } from './try-mutants.ts';

tryMutants(GUARD_MUTANTS);
