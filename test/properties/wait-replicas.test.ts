import { waitReplicasTests } from './support/wait-replicas-tests.ts';

/** `npm run test:deep` plays more. */
waitReplicasTests(80);
