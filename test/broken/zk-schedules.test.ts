import { ZK_SCHEDULE_MUTANTS } from './mutants/zk-schedules.ts';
import { testMutants } from './try-mutants.ts';

testMutants(ZK_SCHEDULE_MUTANTS);
