import { LIVENESS_MUTANTS } from './mutants/liveness.ts';
import { tryMutants } from './try-mutants.ts';

tryMutants(LIVENESS_MUTANTS);
