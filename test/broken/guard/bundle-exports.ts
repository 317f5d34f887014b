// All that a wrong guard is tested with, in one script: locks and simulator have to recognise each other's errors.
export { subjectOf } from '../../../harness/test/kit/locks.ts';
export { playGuarded as play } from '../../../harness/test/kit/search.ts';
