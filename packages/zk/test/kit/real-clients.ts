/** Clients of the recipe on real servers, for tests of several packages. */

export { Crowd } from '../servers/support/crowd.ts';
export { ZkWorld } from '../servers/support/zk-world.ts';
