import { REDIS_GETSET_MUTANTS } from './mutants/redis-getset.ts';
import { testMutants } from './try-mutants.ts';

testMutants(REDIS_GETSET_MUTANTS);
