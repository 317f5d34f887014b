import { ZK_SCHEDULE_MUTANTS } from './mutants/zk-schedules.ts';
import { tryMutants } from './try-mutants.ts';

tryMutants(ZK_SCHEDULE_MUTANTS);
