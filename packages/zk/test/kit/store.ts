/** Sessions and paths of the recipe, for tests of several packages. */

export { openSocketSessions } from '../../src/adapters/sockets.ts';
export { containerOf, layoutOf } from '../../src/keys.ts';
