// What a wrong guard is tried with, all in one script: locks and simulator have to know each other's errors.
export { subjectOf } from '../../../harness/src/locks/index.ts';
export { playGuarded as play } from '../../../harness/src/search/index.ts';
