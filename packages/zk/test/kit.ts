/** What tests of other packages use beyond the public entries. */

export { openSocketSessions } from '../src/adapters/sockets.ts';
export { containerOf, layoutOf } from '../src/keys.ts';
export { type Actor, Bench, CONTAINER } from './support/bench.ts';
