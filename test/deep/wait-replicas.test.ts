import { waitReplicasTests } from '../properties/support/wait-replicas-tests.ts';

waitReplicasTests(4_000);
