/** What tests of other packages use beyond the public entries. */

export type { NetworkSession } from '../src/session.ts';
