/** What tests of other packages use beyond the public entries. */

export { ACQUIRE } from '../src/scripts/acquire.ts';
export { FORCE } from '../src/scripts/force.ts';
export { INSPECT } from '../src/scripts/inspect.ts';
export { RELEASE } from '../src/scripts/release.ts';
export { RENEW } from '../src/scripts/renew.ts';
