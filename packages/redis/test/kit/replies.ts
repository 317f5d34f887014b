/** The parts that tests of other packages use beyond the public entries. */

export { REPLY_TABLE } from '../../src/replies.ts';
