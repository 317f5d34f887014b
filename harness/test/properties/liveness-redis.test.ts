import { livenessTests } from './support/liveness.ts';

livenessTests('memory', 50);
livenessTests('redis-simple', 22);
livenessTests('redis-getset', 22);
