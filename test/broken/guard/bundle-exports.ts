// What a wrong guard is tried with, all in one script: locks and simulator have to know each other's errors.
export { subjectOf } from '../../../harness/test/kit/locks.ts';
export { playGuarded as play } from '../../../harness/test/kit/search.ts';
