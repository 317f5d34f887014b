/** The parts that tests of other packages use beyond the public entries. */

export { ACQUIRE, FORCE, INSPECT, INTRODUCE, RELEASE, RENEW } from '../src/scripts.ts';
