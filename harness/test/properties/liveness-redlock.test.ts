import { livenessTests } from './support/liveness.ts';

livenessTests('redlock', 22);
