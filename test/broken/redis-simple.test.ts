import { REDIS_SIMPLE_MUTANTS } from './mutants/redis-simple.ts';
import { testMutants } from './try-mutants.ts';

testMutants(REDIS_SIMPLE_MUTANTS);
