import { ETCD_MUTANTS } from './mutants/etcd.ts';
import { testMutants } from './try-mutants.ts';

testMutants(ETCD_MUTANTS);
