/** The parts that tests of other packages use beyond the public entries, or cannot resolve. */

export { openRedisSimple } from '../src/index.ts';
export { ACQUIRE, FORCE, INSPECT, RELEASE, RENEW } from '../src/scripts.ts';
