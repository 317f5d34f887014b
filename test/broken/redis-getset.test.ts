import { REDIS_GETSET_MUTANTS } from './mutants/redis-getset.ts';
import { tryMutants } from './try-mutants.ts';

tryMutants(REDIS_GETSET_MUTANTS);
