import { livenessTests } from './support/liveness.ts';

livenessTests('zk', 22);
