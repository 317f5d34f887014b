import { REDLOCK_MUTANTS } from './mutants/redlock.ts';
import { tryMutants } from './try-mutants.ts';

tryMutants(REDLOCK_MUTANTS);
