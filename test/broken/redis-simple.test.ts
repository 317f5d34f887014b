import { REDIS_SIMPLE_MUTANTS } from './mutants/redis-simple.ts';
import { tryMutants } from './try-mutants.ts';

tryMutants(REDIS_SIMPLE_MUTANTS);
