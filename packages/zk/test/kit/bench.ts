/** Clients of the recipe on a session by hand, in virtual time, for tests of several packages. */

export { type Actor, Bench, CONTAINER } from '../support/bench.ts';
