import { livenessTests } from '../properties/support/liveness.ts';

/** Of each fault; the variable shortens or lengthens that. */
const SCHEDULES = 2_000;

livenessTests('memory', SCHEDULES);
livenessTests('redis-simple', SCHEDULES);
livenessTests('redis-getset', SCHEDULES);
livenessTests('redlock', SCHEDULES);
livenessTests('zk', SCHEDULES);
