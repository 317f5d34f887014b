/** What tests of other packages use beyond the public entries. */

export { memorySubject } from './support/memory-subject.ts';
