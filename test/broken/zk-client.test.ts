import { ZK_CLIENT_MUTANTS } from './mutants/zk-client.ts';
import { testMutants } from './try-mutants.ts';

testMutants(ZK_CLIENT_MUTANTS);
